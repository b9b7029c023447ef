#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs run.sh of the end-to-end tests, or another program of theirs, and hands its closing line to steps.sh:
#   e2e-counted.sh [run.sh|agree.sh [ARGUMENT...]]
set -u
here=$(dirname "$0")
program=${1:-run.sh}
[ $# = 0 ] || shift
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$here/e2e/$program" "$@" 2>&1 | tee "$log"
counts=$(sed -nE 's/^([0-9]+) passed, ([0-9]+) failed$/\1 \2/p' "$log" | tail -n 1)
if [ -z "$counts" ]; then
    # Skipped, or it did not come so far.
    grep -q '^SKIP' "$log"
    exit
fi
[ -z "${SKR_RESULTS:-}" ] || echo "$counts" >>"$SKR_RESULTS"
[ "${counts#* }" = 0 ]
