#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# planted.sh [--roles | --devices] [WORD]: plants the bugs of test/planted.txt (those with WORD in their names) one at a
# time in a copy of the tree below build/ and looks whether test/explore.sh finds them within SEEDS=10000
# seeds. A row may name a test program that finds it instead. With --roles: the bugs of
# test/planted-roles.txt, and the property tests of roles with N=20000. With --devices: those of
# test/planted-devices.txt, and the recorded nodes of test/upstream/devices. All of test/planted.txt takes about eleven
# minutes on two free processors. The last line is "N passed, N failed". planted.sh --stand plants nothing: it looks whether
# the lines that all lists change are in the tree.
set -u
cd "$(dirname "$0")/.." || exit 1
tab=$(printf '\t')
# Whether the line of a row is there to be changed: old, file, name.
stands() {
    [ "$(grep -cF -- "$1" "$2")" = 1 ] || ! echo "$3: not once in $2: $1"
}
if [ "${1:-}" = --stand ]; then
    grep -hv '^#' test/planted*.txt | {
        missing=0
        while IFS=$tab read -r name file old _; do
            stands "$old" "$file" "$name" || missing=$((missing + 1))
        done
        [ "$missing" = 0 ]
    }
    exit
fi
copy=build/planted
SEEDS=${SEEDS:-10000}
N=${N:-20000}
export SEEDS N
export SHORTEN=no
unset SKR_RESULTS
if [ "${1:-}" = --roles ]; then
    shift
    copy=build/planted-roles
    list=test/planted-roles.txt
    program='build/obj/test/property/test_solver_oracles build/obj/test/property/test_solver_laws'
    effort="$N problems"
    seen='^  SEED='
    find_it() {
        for one in 'test_solver_oracles about_roles' test_solver_laws; do
            code=0
            # shellcheck disable=SC2086 # a program, and the tests of it
            timeout 300 build/obj/test/property/$one || code=$?
            # Too slow is not found.
            [ $code = 0 ] || [ $code = 124 ] || return 1
        done
    }
elif [ "${1:-}" = --devices ]; then
    shift
    copy=build/planted-devices
    list=test/planted-devices.txt
    program=build/obj/test/upstream/devices/ours/ours
    effort='the recorded nodes'
    seen='^node '
    find_it() {
        DEVICES_BIN=$program timeout 300 test/upstream/devices/run.sh --recorded
    }
else
    list=test/planted.txt
    program=build/obj/test/property/explore
    effort="$SEEDS seeds"
    seen='^seed '
    # A seed that fails without the bug has not found it.
    find_it() {
        from=1
        while [ $from -le "$SEEDS" ]; do
            found=$(SEED=$from SEEDS=$((SEEDS - from + 1)) test/explore.sh $program) && return 0
            seed=$(echo "$found" | sed -n 's/^seed \([0-9]*\) fails.*/\1/p')
            if [ -z "$seed" ] || SKR_SEED=$seed SKR_SEEDS=1 SKR_STEPS=300 ./without everything >/dev/null 2>&1; then
                echo "$found"
                return 1
            fi
            from=$((seed + 1))
        done
    }
fi
rm -rf $copy
mkdir -p $copy
cp -a Makefile topology core server test $copy/
jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
passed=0
failed=0
# The copy's own program must be well.
# shellcheck disable=SC2086 # a list of programs
make -s -j"$jobs" -C $copy $program || exit 1
cp "$copy/${program%% *}" $copy/without
grep -v '^#' $list | grep -F -- "${1:-}" >$copy/list
while IFS=$tab read -r name file old new judge; do
    if ! stands "$old" "$file" "$name"; then
        failed=$((failed + 1))
        continue
    fi
    OLD=$old NEW=$new awk '{ i = index($0, ENVIRON["OLD"]); if (i) $0 = substr($0, 1, i - 1) ENVIRON["NEW"] substr($0, i + length(ENVIRON["OLD"])); print }' \
        "$file" >"$copy/$file"
    # shellcheck disable=SC2086 # a list of programs
    if ! make -s -j"$jobs" -C $copy CFLAGS=-Wno-error ${judge:-$program} >$copy/log 2>&1; then
        echo "$name: does not build"
        tail -n 5 $copy/log
        failed=$((failed + 1))
    elif (cd $copy && if [ "$judge" ]; then timeout 300 "$judge"; else find_it; fi) >$copy/log 2>&1; then
        echo "$name: not found in ${judge:-$effort}"
        failed=$((failed + 1))
    else
        echo "$name: $({ grep -m 1 -e "$seen" -e FAILED $copy/log || tail -n 1 $copy/log; } | cut -c 1-100)"
        passed=$((passed + 1))
    fi
    cp "$file" "$copy/$file"
done <$copy/list
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
