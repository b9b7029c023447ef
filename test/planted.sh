#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# planted.sh [WORD]: plants the bugs of test/planted.txt (those with WORD in their names) one at a time in a
# copy of the tree below build/ and looks whether test/explore.sh finds them within SEEDS=10000 seeds. The
# last line is "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
copy=build/planted
program=build/obj/test/property/explore
SEEDS=${SEEDS:-10000}
export SEEDS
unset SKR_RESULTS
rm -rf $copy
mkdir -p $copy
cp -a Makefile topology core server test $copy/
passed=0
failed=0
tab=$(printf '\t')
# The copy's own program must be well.
make -s -C $copy $program || exit 1
grep -v '^#' test/planted.txt | grep -F -- "${1:-}" >$copy/list
while IFS=$tab read -r name file old new; do
    if [ "$(grep -cF -- "$old" "$file")" != 1 ]; then
        echo "$name: not once in $file: $old"
        failed=$((failed + 1))
        continue
    fi
    OLD=$old NEW=$new awk '{ i = index($0, ENVIRON["OLD"]); if (i) $0 = substr($0, 1, i - 1) ENVIRON["NEW"] substr($0, i + length(ENVIRON["OLD"])); print }' \
        "$file" >"$copy/$file"
    if ! make -s -C $copy CFLAGS=-Wno-error $program >$copy/log 2>&1; then
        echo "$name: does not build"
        tail -n 5 $copy/log
        failed=$((failed + 1))
    elif (cd $copy && test/explore.sh $program) >$copy/log 2>&1; then
        echo "$name: not found in $SEEDS seeds"
        failed=$((failed + 1))
    else
        echo "$name: $(grep '^seed ' $copy/log)"
        passed=$((passed + 1))
    fi
    cp "$file" "$copy/$file"
done <$copy/list
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
