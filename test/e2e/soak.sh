#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One namespace at war with another one for a while; see suite/soak_test.go.
#   soak.sh [DURATION]                      2m by default; on the sandbox
#   SAKKARA_E2E_PLANE=real soak.sh 10m      on a real control plane
# SAKKARA_SOAK_RATE=200 chooses the hostile pods a second, SAKKARA_SOAK_GANGS=1 the gangs a second of the other one (0, the
# default: as fast as they are bound). With a number only memory and the gangs' end are judged, not their times.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if ! command -v go >/dev/null 2>&1; then
    echo "SKIP soak: go is not installed"
    exit 0
fi
SAKKARA_BIN=${SAKKARA_BIN:-$here/../../build/sakkara}
export SAKKARA_BIN SAKKARA_E2E_PLANE="${SAKKARA_E2E_PLANE:-sandbox}" SAKKARA_E2E_PLANES=1
[ "$SAKKARA_E2E_PLANE" = sandbox ] || "$here/build-controlplane.sh" "${SAKKARA_E2E_VERSION:-1.36.3}" >/dev/null
cd "$here/suite"
SAKKARA_SOAK="${1:-2m}" exec go test -tags soak -count=1 -timeout 120m -run '^TestBenchSoak$' -v .
