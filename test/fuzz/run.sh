#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh SECONDS FUZZER...: libFuzzer on each, starting from its corpus; what it finds on the way stays
# in build/fuzz/corpus. An input that crashes is left in build/fuzz and should become a file of
# test/fuzz/corpus.
set -eu
seconds=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
for fuzzer in "$@"; do
    name=${fuzzer##*/fuzz_}
    mkdir -p "build/fuzz/corpus/$name"
    echo "== $name, $seconds s"
    "$fuzzer" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=10 -print_final_stats=1 \
        -artifact_prefix="build/fuzz/crash-$name-" "build/fuzz/corpus/$name" "$here/corpus/$name" 2>&1 |
        tee "build/fuzz/$name.log" | grep -E '^(stat::number_of_executed_units|SUMMARY|==)' || true
    if grep -qE '^(SUMMARY: |==[0-9]+== ?ERROR)' "build/fuzz/$name.log"; then
        tail -n 40 "build/fuzz/$name.log"
        exit 1
    fi
done
