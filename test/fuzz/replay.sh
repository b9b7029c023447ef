#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# replay.sh PROGRAM...: each over its seeds; the sum as one line.
set -u
here=$(cd "$(dirname "$0")" && pwd)
passed=0
failed=0
for program in "$@"; do
    name=${program##*/replay_}
    log=$(mktemp)
    # shellcheck disable=SC2046 # files
    "$program" $(find $("$here/seeds.sh" "$name") -maxdepth 1 -type f) >"$log" 2>&1
    code=$?
    n=$(sed -nE 's/^([0-9]+) passed, 0 failed$/\1/p' "$log")
    if [ $code != 0 ] || [ -z "$n" ]; then
        tail -n 40 "$log"
        failed=$((failed + 1))
    else
        passed=$((passed + n))
    fi
    rm -f "$log"
done
[ -z "${SKR_RESULTS:-}" ] || echo "$passed $failed" >>"$SKR_RESULTS"
echo "fuzz corpus: $passed passed, $failed failed"
[ $failed = 0 ]
