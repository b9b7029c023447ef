#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tagged.sh TAG TIMEOUT TESTS: the tests of test/e2e/suite that stand behind a build tag, on the sandbox, or with
# SAKKARA_E2E_PLANE=real on a real control plane:
#   soak      one namespace at war with another one for SAKKARA_SOAK; see suite/soak_test.go. SAKKARA_SOAK_RATE=200 chooses the
#             hostile pods a second, SAKKARA_SOAK_GANGS=1 the gangs a second of the other one (0, the default: as fast as they
#             are bound). With a number only memory and the gangs' end are judged, not their times.
#   replicas  two daemons, whose leader goes in every way; prints how long takeovers took. See suite/replicas_test.go. On a
#             real control plane also two kube-schedulers with a daemon beside each: suite/replicas_scheduler_test.go.
#   full      groups of a thousand members, and their cost for kube-scheduler. See suite/full_test.go.
#   operators the operators of workloads themselves, built from their modules (../operators), with their own samples. See
#             suite/operators_test.go. A cold build of all takes a quarter of an hour.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if ! command -v go >/dev/null 2>&1; then
    echo "SKIP $1: go is not installed"
    exit 0
fi
SAKKARA_BIN=${SAKKARA_BIN:-$here/../../build/sakkara}
export SAKKARA_BIN SAKKARA_E2E_PLANE="${SAKKARA_E2E_PLANE:-sandbox}" SAKKARA_E2E_PLANES=1
[ "$SAKKARA_E2E_PLANE" = sandbox ] || "$here/build-controlplane.sh" "${SAKKARA_E2E_VERSION:-1.36.3}" >/dev/null
cd "$here/suite"
exec go test -tags "$1" -count=1 -timeout "$2" -run "$3" -v .
