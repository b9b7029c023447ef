#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks the chart, the manifests and what is installed from them: run.sh [GO-TEST-ARGUMENT...]
# Builds helm and the control plane where the user's cache folder has none. Needs Go; without it nothing is tested,
# which is an error under CI=true. promtool is built with PROMTOOL=1 only; else alerts are tested where the cache has it.
# The last line counts the tests.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
skip() {
    echo "SKIP ship: $1"
    [ "${CI:-}" = true ] && exit 1
    exit 0
}
command -v go >/dev/null 2>&1 || skip "go is not installed"
SAKKARA_BIN=${SAKKARA_BIN:-$here/../../build/sakkara}
[ -x "$SAKKARA_BIN" ] || {
    echo "ship: $SAKKARA_BIN is missing, run make first" >&2
    exit 1
}
SAKKARA_BIN=$(cd "$(dirname "$SAKKARA_BIN")" && pwd)/$(basename "$SAKKARA_BIN")
SAKKARA_HELM=$("$here/tools/build.sh" helm)
never=-n
[ "${PROMTOOL:-}" != 1 ] || never=
# shellcheck disable=SC2086
SAKKARA_PROMTOOL=$("$here/tools/build.sh" $never promtool)
[ -n "$SAKKARA_PROMTOOL" ] || echo "SKIP alerts: promtool is not built, PROMTOOL=1 builds it"
SAKKARA_CONTROLPLANE=$("$here/../e2e/build-controlplane.sh" 1.36.3)
export SAKKARA_BIN SAKKARA_HELM SAKKARA_PROMTOOL SAKKARA_CONTROLPLANE
output=$(mktemp)
trap 'rm -f "$output"' EXIT
code=0
{ (cd "$here" && go test -count=1 -timeout 20m -v "$@" . 2>&1) || echo "ship: go test failed"; } | tee "$output" |
    grep -E '^(--- |    --- |        |    [a-z_]+\.go:|ship:|panic|FAIL|ok )' || true
grep -q '^ship: go test failed' "$output" && code=1
passes=$(grep -c '^--- PASS: ' "$output" || true)
failures=$(grep -c '^--- FAIL: ' "$output" || true)
if [ "$code" = 1 ] && [ "$failures" = 0 ]; then
    tail -n 40 "$output"
    failures=1
fi
echo "$passes passed, $failures failed"
[ "$failures" = 0 ]
