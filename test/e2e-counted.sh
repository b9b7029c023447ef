#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh of the end-to-end tests, its closing line handed to steps.sh. Arguments are passed on.
set -u
here=$(dirname "$0")
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$here/e2e/run.sh" "$@" 2>&1 | tee "$log"
counts=$(sed -nE 's/^([0-9]+) passed, ([0-9]+) failed$/\1 \2/p' "$log" | tail -n 1)
if [ -z "$counts" ]; then
    # Skipped, or it did not come so far.
    grep -q '^SKIP' "$log"
    exit
fi
[ -z "${SKR_RESULTS:-}" ] || echo "$counts" >>"$SKR_RESULTS"
[ "${counts#* }" = 0 ]
