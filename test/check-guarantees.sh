#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Proves that docs/guarantees.md is true as far as names go: every test and every file that it names exists, D1 to D50 and R1 to
# R14 are all there, and each has a test of its own name; those about groups a scenario on a real control plane, but D25, which the
# thread sanitiser shows.
# check-guarantees.sh             the page
# check-guarantees.sh --planted   plants a test, a file and a number that are not there, takes a scenario away, and expects each to be found
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Names of all tests: of C, whose macros TEST and TEST_... have the name last and a body behind it, and of Go.
{
    find test/unit test/property test/integration -name '*.c' -exec cat {} + | tr '\n' ' ' |
        grep -oE 'TEST(_[A-Z]+)?\([^{;]*\) *\{' | sed -E 's/.*[(, ]([a-z0-9_A-Z]+)\) *\{$/\1/'
    cat test/e2e/suite/*_test.go | sed -nE 's/^func (Test[A-Za-z0-9_]+)\(.*/\1/p'
} | sort -u >"$work/tests"

# check PAGE: one line a mistake. A paragraph of the page may run over lines.
check() {
    awk 'BEGIN { RS = ""; ORS = "\n" } { gsub(/\n/, " "); print }' "$1" >"$work/paragraphs"
    set -- "$work/paragraphs"
    grep -E '^Shown by: ' "$1" | grep -oE '`[A-Za-z0-9_]+`' | tr -d '`' | sort -u >"$work/named"
    comm -23 "$work/named" "$work/tests" | sed 's/^/no such test: /'
    grep -E '^By: ' "$1" | grep -oE '[a-z]+/[a-z_/0-9]+\.[ch]' | sort -u | while read -r file; do
        [ -f "$file" ] || echo "no such file: $file"
    done
    for id in $(seq -f 'D%g' 50) $(seq -f 'R%g' 14); do
        lower=$(echo "$id" | tr DR dr)
        shown=$(grep -A 8 -E "^### $id " "$1" | sed '1d; /^### /,$d' | grep -E '^Shown by: ' || true)
        [ "$(grep -cE "^### $id " "$1")" = 1 ] || echo "$id has no heading, or two"
        [ "$id" = R14 ] || echo "$shown" | grep -qE "\`(Test${id}_|([dr][0-9]+_)*${lower}_)" ||
            echo "$id: no test is named after it"
        case $id in
        R10) echo "$shown" | grep -q "\`TestDowngrade_" || echo "$id: no scenario of a downgrade is named" ;;
        R* | D25) ;;
        *) echo "$shown" | grep -q "\`Test${id}_" || echo "$id: no scenario is named after it" ;;
        esac
    done
}

if [ "${1:-}" = --planted ]; then
    for edit in 's/`d36_[a-z_0-9]*`/`d36_no_such_test`/' 's,core/solver/victims\.c,core/solver/nothing.c,' 's/^### R10 /### R99 /' \
        's/`TestD26_[A-Za-z]*`, *//' 's/`TestDowngrade_[A-Za-z]*`/`TestDaemonKilledAtEveryWrite`/'; do
        sed "$edit" docs/guarantees.md >"$work/page"
        if [ -z "$(check "$work/page")" ]; then
            echo "guarantees: $edit was not found"
            exit 1
        fi
    done
    echo "guarantees: planted mistakes are found"
    exit 0
fi
check docs/guarantees.md >"$work/wrong"
if [ -s "$work/wrong" ]; then
    cat "$work/wrong"
    exit 1
fi
echo "guarantees: $(grep -cE '^### [DR]' docs/guarantees.md) are shown by $(wc -l <"$work/named") tests that exist"
