#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# docs/scenarios.md is made from the sources of the suite:
#   scenarios.sh check      whether it still says what they say
#   scenarios.sh write
# Needs Go; without it nothing is done.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
list=$(cd "$here/../../docs" && pwd)/scenarios.md
if ! command -v go >/dev/null 2>&1; then
    echo "SKIP scenarios: go is not installed"
    exit 0
fi
cd "$here/suite"
case ${1:-check} in
check)
    go vet ./...
    go test ./agree ./scenarios
    go run ./scenarios . "$list"
    ;;
write)
    go run ./scenarios . >"$list.new"
    mv "$list.new" "$list"
    ;;
*)
    echo "usage: scenarios.sh [check|write]" >&2
    exit 2
    ;;
esac
