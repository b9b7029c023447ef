#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Random problems for the scheduler that a folder beside this file has as a module, and for ours: both have to decide the
# same, but for the differences that docs list. The program is build/sakkara or $SAKKARA_BIN.
#   run.sh NAME [-n N] [-seed N]     NAME: karmada, ocm
# Needs Go; without it nothing is tested, which is an error under CI=true. The last line counts the problems.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
name=$1
shift
if ! command -v go >/dev/null 2>&1; then
    echo "SKIP $name: go is not installed"
    [ "${CI:-}" != true ]
    exit
fi
case $name in
karmada) page=bindings.md ;;
ocm) page=placements.md ;;
esac
exec "$("$here/build.sh" "$name")" -sakkara "${SAKKARA_BIN:-$here/../../build/sakkara}" \
    -docs "$here/../../docs/$page" "$@"
