#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run-programs.sh NAME PROGRAM...: runs test programs one after the other and sums their results into
# one closing line. Output of a program is shown when it failed. Programs are cmocka's, or print
# "N passed, N failed" as their last line. With SKR_RESULTS set the sums are appended to that file.
set -u

name=$1
shift
passed=0
failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

number() { # number PATTERN: the number in the last line that matches, 0 without one
    sed -nE "s/$1/\1/p" "$log" | tail -n 1 | grep . || echo 0
}

for program in "$@"; do
    begin=$(date +%s)
    "$program" >"$log" 2>&1 </dev/null
    code=$?
    p=$(number '^\[  PASSED  \] ([0-9]+) test\(s\)\.$')
    f=$(number '^\[  FAILED  \] ([0-9]+) test\(s\), listed below:$')
    if tail -n 1 "$log" | grep -qE '^[0-9]+ passed, [0-9]+ failed$'; then
        p=$(number '^([0-9]+) passed, [0-9]+ failed$')
        f=$(number '^[0-9]+ passed, ([0-9]+) failed$')
    fi
    # A crash, a leak, a failing teardown: no test may have counted it.
    [ "$code" = 0 ] || [ "$f" != 0 ] || f=1
    if [ "$code" = 0 ] && [ "$p" = 0 ]; then
        echo "$program ran no test" >>"$log"
        f=1
    fi
    [ "$f" = 0 ] || cat "$log"
    printf '  %-44s %4d passed, %d failed (%d s)\n' "${program##*/}" "$p" "$f" "$(($(date +%s) - begin))"
    passed=$((passed + p))
    failed=$((failed + f))
done
[ -z "${SKR_RESULTS:-}" ] || echo "$passed $failed" >>"$SKR_RESULTS"
echo "$name: $passed passed, $failed failed"
[ "$failed" = 0 ]
