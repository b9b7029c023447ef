#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# explore.sh PROGRAM: plays SEEDS=2000 schedules of STEPS=300 random events from SEED=1 on, JOBS at a
# time (test/property/test_engine.c). One that fails is shortened to as few events as still fail,
# and the command that replays it is printed. The last line is "N passed, N failed".
# CRASH=all: each of SEEDS=20 is played again with the daemon killed after every one of its actions, twice: what was
# under way then is lost, or arrives. CRASH=17, CRASH=17+: after that action alone.
# SHORTEN=no: a seed that fails is printed as it is.
set -u
program=$1
chunk=25 # seeds of one process
[ -z "${CRASH:-}" ] || export SKR_CRASH="$CRASH"
[ "${CRASH:-}" != all ] || chunk=1
seeds=${SEEDS:-$([ $chunk = 1 ] && echo 20 || echo 2000)}
first=${SEED:-1}
jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
SKR_STEPS=${STEPS:-300}
export SKR_STEPS
name=everything
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# A process leaves the seed that it failed at, and the action after which it was killed.
export program folder name
i=0
while [ $i -lt "$seeds" ]; do
    n=$((seeds - i < chunk ? seeds - i : chunk))
    echo "$((first + i)) $n"
    i=$((i + n))
done | xargs -P "$jobs" -L 1 sh -c '
    [ -e "$folder/failed" ] && exit
    log="$folder/log.$0"
    SKR_SEED=$0 SKR_SEEDS=$1 "$program" "$name" >"$log" 2>&1 && rm -f "$log" && echo "$1" >>"$folder/passed" && exit
    echo "$(sed -n "s/^seed //p" "$log" | tail -n 1) $(sed -n "s/^crash //p" "$log" | tail -n 1)" >>"$folder/failed"'

if [ ! -s "$folder/failed" ]; then
    [ -z "${SKR_RESULTS:-}" ] || echo "$seeds 0" >>"$SKR_RESULTS"
    echo "$seeds passed, 0 failed"
    exit 0
fi
read -r seed crash <<EOT
$(sort -n "$folder/failed" | head -n 1)
EOT
unset SKR_CRASH
[ -z "$crash" ] || export SKR_CRASH="$crash"

# fails FILE: whether the seed fails with these steps alone, one a line
fails() {
    ! SKR_ONLY=",$(tr '\n' ',' <"$1")" SKR_SEED=$seed SKR_SEEDS=1 timeout 60 "$program" "$name" >"$folder/last" 2>&1
}
seq 0 $((SKR_STEPS - 1)) >"$folder/steps"
if [ "${SHORTEN:-yes}" = yes ] && fails "$folder/steps"; then
    size=$(((SKR_STEPS + 1) / 2))
    while [ $size -gt 0 ]; do
        at=1
        while [ $at -le "$(wc -l <"$folder/steps")" ]; do
            sed "$at,$((at + size - 1))d" "$folder/steps" >"$folder/fewer"
            if fails "$folder/fewer"; then
                mv "$folder/fewer" "$folder/steps"
            else
                at=$((at + size))
            fi
        done
        size=$((size / 2))
    done
fi
fails "$folder/steps"
grep -E "^at |ERROR|error|bug" "$folder/last" | tail -n 5
echo "seed $seed fails with $(wc -l <"$folder/steps") events:"
echo "  SKR_RIG_TRACE=1${crash:+ SKR_CRASH=$crash} SKR_SEED=$seed SKR_STEPS=$SKR_STEPS SKR_ONLY=,$(tr '\n' ',' <"$folder/steps") $program $name"
passed=$(cat "$folder/passed" 2>/dev/null | awk '{ n += $1 } END { print n + 0 }') # the rest was not played
[ -z "${SKR_RESULTS:-}" ] || echo "$passed 1" >>"$SKR_RESULTS"
echo "$passed passed, 1 failed"
exit 1
