#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# counts.sh PROGRAM: instructions of the fixed problems of bench_counts.c, counted by callgrind and
# compared with those kept in test/bench/callgrind for this compiler. More than 10 % above fails;
# more than 10 % below asks for the kept figure to be lowered. KEEP=1 writes the figures instead.
#
# Figures belong to a compiler, its major version and the machine's instruction set, at -O2. Without
# figures of its own a compiler is not judged: its counts are shown beside what those of gcc 12 would be,
# scaled by the case `reference`, which uses nothing of the solver.
set -u
program=$1
folder=$(dirname "$0")/callgrind
allowed=10

skip() {
    echo "instruction counts skipped: $1"
    [ -z "${SKR_RESULTS:-}" ] || echo "0 0" >>"$SKR_RESULTS"
    exit 0
}
command -v valgrind >/dev/null 2>&1 || skip "no valgrind"

# ${CC} may be two words.
kind=gcc
${CC:-cc} --version 2>/dev/null | grep -q clang && kind=clang
major=$(${CC:-cc} -dumpversion | cut -d. -f1)
compiler=$kind-$major-$(${CC:-cc} -dumpmachine | cut -d- -f1)
flags=$(echo "${FLAGS:--O2}" | sed 's/^ *//; s/ *$//')
[ "$flags" = -O2 ] || compiler="$compiler with $flags"
kept=$folder/$compiler.txt
compared=$folder/gcc-12-x86_64.txt

# Which memcpy glibc takes depends on the processor: the same one everywhere.
export GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-AVX2_Usable,-AVX512F,-ERMS,-FSRM
count() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect='counted_*' \
        "$program" "$1" 2>&1 | sed -nE 's/^==[0-9]+== Collected : ([0-9]+)$/\1/p'
}
figure() { # figure FILE CASE
    awk -v name="$2" '$1 == name { print $2 }' "$1" 2>/dev/null
}

cases=$("$program") || exit 1
passed=0
failed=0
scale=
lines=
for name in $cases; do
    now=$(count "$name")
    if [ -z "$now" ] || [ "$now" = 0 ]; then
        # valgrind 3.19 cannot read what clang 14 writes; a program that fails is another matter.
        [ -e "$kept" ] || ! "$program" "$name" || skip "callgrind cannot count what $compiler builds"
        echo "$name: callgrind counted nothing"
        failed=$((failed + 1))
        continue
    fi
    lines="$lines$name $now
"
    before=$(figure "$kept" "$name")
    if [ "${KEEP:-}" = 1 ]; then
        printf '%-12s %12d kept\n' "$name" "$now"
    elif [ ! -e "$kept" ]; then
        [ -n "$scale" ] || scale="$now $(figure "$compared" "$name")"
        printf '%-12s %12d   %s (not judged)\n' "$name" "$now" \
            "$(echo "$now $(figure "$compared" "$name") $scale" |
                awk '{ printf "%.2f of gcc 12, scaled", $1 / ($2 * $3 / $4) }')"
    elif [ -z "$before" ]; then
        echo "$name: no figure in $kept"
        failed=$((failed + 1))
    else
        percent=$(echo "$now $before" | awk '{ printf "%.1f", ($1 / $2 - 1) * 100 }')
        verdict=$(echo "$percent $allowed" | awk '{ print ($1 > $2 ? "rose" : $1 < -$2 ? "fell" : "same") }')
        printf '%-12s %12d %+6.1f %%' "$name" "$now" "$percent"
        case $verdict in
        rose) printf '  FAILED: %d is kept\n' "$before" ;;
        fell) printf '  better: lower the kept %d (make bench-counts KEEP=1)\n' "$before" ;;
        same) printf '\n' ;;
        esac
        if [ "$verdict" = rose ]; then
            failed=$((failed + 1))
        else
            passed=$((passed + 1))
        fi
    fi
done
if [ "${KEEP:-}" = 1 ] && [ "$failed" = 0 ]; then
    {
        echo "# Instructions of bench_counts, $compiler; make bench-counts"
        printf '%s' "$lines"
    } >"$kept"
    exit 0
fi
if [ ! -e "$kept" ] && [ "$failed" = 0 ]; then
    skip "no figures for $compiler"
fi
[ -z "${SKR_RESULTS:-}" ] || echo "$passed $failed" >>"$SKR_RESULTS"
echo "instruction counts: $passed passed, $failed failed ($compiler)"
[ "$failed" = 0 ]
