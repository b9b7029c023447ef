#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# demo.sh PROGRAM [RUNNER...]: the demo ends well, says so three times, twice the same, in less than 5 s.
set -eu
program=$1
shift
first=$(mktemp)
second=$(mktemp)
trap 'rm -f "$first" "$second"' EXIT
timeout 120 "$@" "$program" demo >"$first"
timeout 120 "$@" "$program" demo >"$second"
cmp "$first" "$second"
[ "$(grep -c 'as it must be: all eight bound, none alone' "$first")" = 3 ]
"$program" demo --ascii | LC_ALL=C grep -q '[^ -~]' && { echo "--ascii prints other characters"; exit 1; }
# 80 columns, but for the placement, which is one word.
LC_ALL=C.UTF-8 grep -E '^.{81}' "$first" | grep -v '^ *{' && exit 1
grep -q 'sakkara sandbox keeps this cluster running' "$first"
"$program" demo -v | grep -q 'bind default/job-a-7 answered: bound'
