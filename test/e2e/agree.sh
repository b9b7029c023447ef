#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compares what the scenarios left behind on the real control plane and on the sandbox, after both have run:
#   agree.sh
# Scenarios that differ run again on both, up to three times: two schedulers that retry at their own moments
# may end differently by chance, on either plane. Those agree whose every value was seen on both; what the planes really
# do differently differs each time. More than ten at once are not chance.
# The last line counts the scenarios that agree, and those that do not.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
states=$(cd "$here/../../build/e2e" && pwd)
output=$(mktemp)
trap 'rm -f "$output"' EXIT
folders="$states/real $states/sandbox"
for again in 1 2 3 enough; do
    # shellcheck disable=SC2086
    if (cd "$here/suite" && exec go run ./agree $folders) >"$output" 2>&1; then
        break
    fi
    different=$(sed -nE 's/^--- DIFFER: ([A-Za-z0-9_]+).*/\1/p' "$output" | sort -u)
    number=$(echo "$different" | wc -w)
    if [ $again = enough ] || [ "$number" = 0 ] || [ "$number" -gt 10 ]; then
        cat "$output"
        exit 1
    fi
    sed -E '/^([0-9]+ passed|exit status)/d' "$output"
    echo "UNSTEADY: $(echo "$different" | paste -sd ' ') ended differently and runs again, $again of 3"
    for plane in real sandbox; do
        rm -rf "$states/$plane-$again"
        SAKKARA_E2E_PLANE=$plane SAKKARA_E2E_STATES=$states/$plane-$again \
            "$here/run.sh" -run "^($(echo "$different" | paste -sd '|'))\$" | sed '$d' || true
    done
    folders="$folders $states/real-$again $states/sandbox-$again"
done
tail -n 1 "$output"
