# SPDX-License-Identifier: Apache-2.0
# Sourced by tests of commands from outside, from the root of the repository: $sakkara, a folder $work, and checks,
# which are counted. checks_end is the last line.
set -u
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../.." || exit 1
sakkara=$(realpath "${SAKKARA:-build/sakkara}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

pass() { passed=$((passed + 1)); }
fail() {
    failed=$((failed + 1))
    echo "$1"
}
# runs NAME CODE COMMAND...: output in $work/out, $work/err
runs() {
    local name=$1 code=$2 got
    shift 2
    timeout 60 "$@" >"$work/out" 2>"$work/err" </dev/null
    got=$?
    if [ "$got" = "$code" ]; then pass; else
        fail "$name: exit code $got, not $code: $(cat "$work/out" "$work/err")"
    fi
}
checks_end() {
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ]
}
