#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the end-to-end tests against a real control plane or the sandbox. The daemon is build/sakkara or
# $SAKKARA_BIN.
#   run.sh [GO-TEST-ARGUMENT...]     all scenarios on Kubernetes 1.36.3, for example: run.sh -run TestD6 -v
#   SAKKARA_E2E_PLANE=sandbox run.sh [...]
#                                    on the sandbox's model of it; no control plane is built
#   SAKKARA_E2E_VERSION=1.37.1 run.sh [...]
#                                    on another Kubernetes: 1.37.1, 1.33.13 or 1.30.14
#   ALL=1 run.sh                     also the worked example, the wake-up rules, the webhooks and the spot mix on
#                                    1.37.1, 1.33.13, 1.30.14
#   SHORT=1 run.sh                   without the longest ones
#   SAKKARA_E2E_ROUNDS=20             so many rounds of random gangs with devices, beside a daemon that dies; 1
#   SAKKARA_E2E_PLANES=4             so many control planes, each with one scenario at a time; so many scenarios at a
#                                    time on the sandbox, 8
# What scenarios leave behind is kept in build/e2e/real or build/e2e/sandbox, for agree.sh, or in
# SAKKARA_E2E_STATES.
# Prints what the tests log with all of its lines, also what a judge of an end complains about. All that a run of the
# whole suite wrote, with what each turn took, is kept in build/e2e/real.log or build/e2e/sandbox.log.
# A scenario of the whole suite that fails beside the others runs three times more by itself: a machine that is too
# busy for it is told from a promise that is broken. It counts as passed only when all three pass, and is named. When
# more than 24 fail, none runs again.
# Needs Go; without it nothing is tested, which is an error under CI=true. The last line counts the tests.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
skip() {
    echo "SKIP e2e: $1"
    [ "${CI:-}" = true ] && exit 1
    exit 0
}
command -v go >/dev/null 2>&1 || skip "go is not installed"
SAKKARA_BIN=${SAKKARA_BIN:-$here/../../build/sakkara}
export SAKKARA_BIN
if [ ! -x "$SAKKARA_BIN" ]; then
    echo "e2e: $SAKKARA_BIN is missing, run make first" >&2
    exit 1
fi
plane=${SAKKARA_E2E_PLANE:-real}
if [ "$plane" = sandbox ]; then
    export SAKKARA_E2E_PLANES="${SAKKARA_E2E_PLANES:-8}" # scenarios mostly wait
else
    export SAKKARA_E2E_PLANES="${SAKKARA_E2E_PLANES:-4}"
fi
states=${SAKKARA_E2E_STATES:-$here/../../build/e2e/$plane}
[ $# -gt 0 ] || rm -rf "$states"
mkdir -p "$states"
states=$(cd "$states" && pwd)
output=$(mktemp)
trap 'rm -f "$output"' EXIT
failed=0
whole=''
[ $# -gt 0 ] || [ "${ALL:-}" = 1 ] || whole=$states.log
# API servers would spend much of their time on collecting garbage of which there is little, some 100 MB are in use, and
# on growing the stack of each goroutine anew.
export GOGC="${GOGC:-800}" GOMEMLIMIT="${GOMEMLIMIT:-2GiB}" GODEBUG="${GODEBUG:-adaptivestackstart=1}"

# Names what failed, each with the last two lines that it logged.
failed_names() {
    awk '/^=== (RUN|CONT|NAME|PAUSE) / { name = $3; next }
         /^ *--- FAIL: / {
             sub(/^ *--- FAIL: /, ""); split($0, words, " ")
             print "FAILED: " $0; print before[words[1]] last[words[1]]
         }
         /^ *[a-z_]+\.go:[0-9]+: / { before[name] = last[name]; last[name] = "FAILED: " substr($0, 1, 300) "\n" }' "$output" |
        grep .
}

# suite VERSION GO-TEST-ARGUMENT...
suite() {
    version=$1
    shift
    if [ "$plane" = sandbox ]; then
        echo "== the sandbox's Kubernetes $version"
    else
        GOGC=100 GOMEMLIMIT=off "$here/build-controlplane.sh" "$version" >/dev/null # compilers have gigabytes in use
        echo "== Kubernetes $version"
    fi
    set -- -parallel 1000 "$@" # all wait for their turns
    {
        (cd "$here/suite" && SAKKARA_E2E_VERSION=$version SAKKARA_E2E_STATE=$states go test -count=1 -timeout 40m -v \
            ${SHORT:+-short} "$@" . 2>&1) || echo "e2e: go test failed"
    } | tee -a "$output" | grep -E '^(--- |    --- |        |    [a-z_]+\.go:|e2e:|panic|FAIL|ok )' || true
}

suite "${SAKKARA_E2E_VERSION:-1.36.3}" "$@"
if [ "${ALL:-}" = 1 ] && [ "$plane" = real ]; then
    states=''
    for version in 1.37.1 1.33.13 1.30.14; do
        suite "$version" -run 'Harness|WorkedExample|Wakeup|D11|D12|GateWebhook|Manifests|SchedulingGroup|SpotMix'
    done
fi
[ -z "$whole" ] || cp "$output" "$whole"
failed_names || true
grep -q '^e2e: go test failed' "$output" && failed=1
passes=$(grep -c '^--- PASS: ' "$output" || true)
failures=$(grep -c '^--- FAIL: ' "$output" || true)
# A suite that ends without a failed test, by a panic or because it did not start, is a failure too.
if [ "$failed" = 1 ] && [ "$failures" = 0 ]; then
    tail -n 40 "$output"
    failures=1
elif [ "$whole" ] && [ "$failures" -gt 0 ] && [ "$failures" -le 24 ]; then
    names=$(sed -nE 's/^--- FAIL: ([A-Za-z0-9_]+) .*/\1/p' "$output")
    echo "== by themselves:" $names
    : >"$output"
    export SAKKARA_E2E_PLANES=1
    suite "${SAKKARA_E2E_VERSION:-1.36.3}" -run "^($(echo "$names" | paste -sd '|'))\$" -count 3 -parallel 1
    for name in $names; do
        if [ "$(grep -c "^--- PASS: $name " "$output" || true)" = 3 ]; then
            echo "UNSTEADY: $name failed beside the others and passed three times by itself"
            passes=$((passes + 1))
            failures=$((failures - 1))
        fi
    done
fi
echo "$passes passed, $failures failed"
[ "$failures" = 0 ]
