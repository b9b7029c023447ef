#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run-programs.sh NAME PROGRAM...: runs test programs, JOBS at a time (one for each processor), and sums
# their results into one closing line. Output of a program is shown when it failed. Programs are
# cmocka's, or print "N passed, N failed" as their last line. With SKR_RESULTS set the sums are appended
# to that file. SKR_RUN is what runs the programs, for example qemu.
set -u

# one FOLDER PROGRAM: runs it, leaves PASSED FAILED in FOLDER/counts
if [ "$1" = --one ]; then
    program=$3
    log=$(mktemp "$2/log.XXXXXX")
    number() { # number PATTERN: the number in the last line that matches, 0 without one
        sed -nE "s/$1/\1/p" "$log" | tail -n 1 | grep . || echo 0
    }
    begin=$(date +%s)
    # shellcheck disable=SC2086
    ${SKR_RUN:-} "$program" >"$log" 2>&1 </dev/null
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
    line=$(printf '  %-44s %4d passed, %d failed (%d s)' "${program##*/}" "$p" "$f" "$(($(date +%s) - begin))")
    if [ "$f" = 0 ]; then
        echo "$line"
    else
        echo "$line" >>"$log"
        cat "$log"
    fi
    echo "$p $f" >>"$2/counts"
    exit 0
fi

name=$1
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
: >"$folder/counts"
printf '%s\n' "$@" | xargs -P "${JOBS:-$(nproc 2>/dev/null || echo 2)}" -n 1 "$0" --one "$folder"
passed=$(awk '{ n += $1 } END { print n + 0 }' "$folder/counts")
failed=$(awk '{ n += $2 } END { print n + 0 }' "$folder/counts")
# One that left no count was killed together with its shell.
lost=$(($# - $(wc -l <"$folder/counts")))
failed=$((failed + lost))
[ -z "${SKR_RESULTS:-}" ] || echo "$passed $failed" >>"$SKR_RESULTS"
echo "$name: $passed passed, $failed failed"
[ "$failed" = 0 ]
