#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The page in real browsers: make ui-check. Without node or Chromium it says SKIP, and fails under CI=true.
#   test/ui/run.sh --needs  says what is missing; its status says whether something is
#   test/ui/run.sh --pictures  writes docs/images instead: make ui-pictures
#   SAKKARA_UI_LARGE=1  a cluster of 5,000 nodes and 500 groups, and the limits of time
#   ONLY=WORDS          the tests whose names have these words
# Screenshots are left in build/ui/.
set -eu
chromium=
for name in chromium-headless-shell chromium; do
    [ -n "$chromium" ] || chromium=$(command -v $name || true)
done
firefox=$(command -v firefox-esr || command -v firefox || true)
lacking=
command -v node >/dev/null || lacking="no node"
command -v npm >/dev/null || lacking="${lacking:-no npm}"
[ -n "$chromium" ] || lacking="${lacking:-no chromium-headless-shell and no chromium}"
skip() {
    echo "SKIP: ui-check: $1"
    [ "${CI:-}" != true ] || exit 1
    exit 0
}
if [ "${1:-}" = --needs ]; then
    [ -n "$lacking" ] || exit 0
    echo "$lacking"
    exit 1
fi
[ -z "$lacking" ] || skip "there is $lacking"
mkdir -p build/ui
cp test/ui/*.mjs test/ui/package.json build/ui/
if ! cmp -s test/ui/package-lock.json build/ui/package-lock.json || [ ! -d build/ui/node_modules ]; then
    cp test/ui/package-lock.json build/ui/
    (cd build/ui && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >npm.log 2>&1) || {
        rm -f build/ui/package-lock.json
        skip "npm ci failed: $(tail -1 build/ui/npm.log)"
    }
fi
script=check
[ "${1:-}" != --pictures ] || script=pictures
exec node build/ui/$script.mjs "$PWD/build/sakkara" "$chromium" "$firefox"
