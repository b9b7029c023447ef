#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh SECONDS FUZZER...: libFuzzer on each, starting from its seeds; what it finds on the way stays
# in build/fuzz/corpus. An input that crashes is left in build/fuzz and should become a file of
# test/fuzz/corpus once it is mended. Every fuzzer runs, also after one that found something.
set -eu
seconds=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
passed=0
failed=0
for fuzzer in "$@"; do
    name=${fuzzer##*/fuzz_}
    log=build/fuzz/$name.log
    mkdir -p "build/fuzz/corpus/$name"
    code=0
    # shellcheck disable=SC2046 # folders
    "$fuzzer" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=20 -len_control=10 -print_final_stats=1 \
        -dict="$here/words.dict" -artifact_prefix="build/fuzz/crash-$name-" \
        "build/fuzz/corpus/$name" $("$here/seeds.sh" "$name") >"$log" 2>&1 </dev/null || code=$?
    runs=$(sed -nE 's/^stat::number_of_executed_units: *([0-9]+)$/\1/p' "$log")
    echo "$name: ${runs:-0} runs in $seconds s"
    if [ $code = 0 ]; then
        passed=$((passed + 1))
    else
        tail -n 60 "$log"
        failed=$((failed + 1))
    fi
done
echo "fuzz: $passed passed, $failed failed"
[ $failed = 0 ]
