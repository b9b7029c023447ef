#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Two daemons, whose leader goes in every way; prints how long takeovers took. See suite/replicas_test.go.
#   replicas.sh                             on the sandbox
#   SAKKARA_E2E_PLANE=real replicas.sh      on a real control plane
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if ! command -v go >/dev/null 2>&1; then
    echo "SKIP replicas: go is not installed"
    exit 0
fi
SAKKARA_BIN=${SAKKARA_BIN:-$here/../../build/sakkara}
export SAKKARA_BIN SAKKARA_E2E_PLANE="${SAKKARA_E2E_PLANE:-sandbox}" SAKKARA_E2E_PLANES=1
[ "$SAKKARA_E2E_PLANE" = sandbox ] || "$here/build-controlplane.sh" "${SAKKARA_E2E_VERSION:-1.36.3}" >/dev/null
cd "$here/suite"
exec go test -tags replicas -count=1 -timeout 10m -run '^TestReplicas_' -v .
