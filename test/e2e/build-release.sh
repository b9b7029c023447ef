#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the daemon of an earlier release from this repository's own history, for the end-to-end tests. Prints the path of
# the binary:
#   build-release.sh COMMIT
# The binary is kept in the user's cache folder under the name of its commit. A cold build takes about three CPU minutes.
# Ends with code 4 where the history does not have the commit: an archive, or a shallow clone.
set -eu
wanted=${1:?build-release.sh COMMIT}
cd "$(dirname "$0")"
if ! commit=$(git rev-parse --quiet --verify "$wanted^{commit}" 2>/dev/null); then
    echo "build-release: the history here does not have $wanted" >&2
    exit 4
fi
folder=${XDG_CACHE_HOME:-$HOME/.cache}/sakkara/releases/$commit
binary=$folder/sakkara
mkdir -p "$folder"
exec 9>"$folder/lock"
flock 9 # a second caller waits for the first
if [ ! -x "$binary" ]; then
    echo "build-release: building $commit, some minutes when cold" >&2
    copy=$(mktemp -d)
    trap 'rm -rf "$copy"' EXIT
    (cd "$(git rev-parse --show-toplevel)" && git archive "$commit") | tar -x -C "$copy"
    nice make -s -C "$copy" -j"$(nproc)" build/sakkara 9>&- >&2
    cp "$copy/build/sakkara" "$binary.$$"
    mv "$binary.$$" "$binary"
fi
echo "$binary"
