#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Devices for random pods on random nodes, chosen by kube-scheduler's allocator of 1.36 and 1.37, and by core/devices
# (ours/ours.c, $DEVICES_BIN or build/obj/test/upstream/devices/ours/ours): both have to choose the same, pod by pod.
#   run.sh [-n N] [-seed N]    new nodes; needs Go
#   run.sh --record            keeps the first 400 nodes and answers of each in record.gz; needs Go
#   run.sh --recorded          plays these, without Go
# The last line counts the nodes. The two programs in Go are kept in the user's cache folder, under names that change with
# their sources and sums.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
ours=${DEVICES_BIN:-$here/../../../build/obj/test/upstream/devices/ours/ours}
if [ "${1:-}" = --recorded ]; then
    [ -x "$ours" ] || make -s -C "$here/../../.." build/obj/test/upstream/devices/ours/ours
    gzip -dc "$here/record.gz" | "$ours" --recorded
    exit
fi
if ! command -v go >/dev/null 2>&1; then
    echo "SKIP devices: go is not installed"
    [ "${CI:-}" != true ]
    exit
fi
folder=${XDG_CACHE_HOME:-$HOME/.cache}/sakkara/upstream
key=$(cat "$here"/*.go "$here"/*.mod "$here"/*.sum | sha256sum | cut -c1-16)
mkdir -p "$folder"
for version in 36 37; do
    modfile=$here/go.mod
    [ $version = 36 ] || modfile=$here/next.mod
    binary=$folder/devices-$version-$key
    if [ ! -x "$binary" ]; then
        echo "run.sh: building devices of 1.$version, some minutes when cold" >&2
        nice go build -C "$here" -modfile="$modfile" -mod=readonly -buildvcs=false -ldflags '-s -w' \
            -o "$binary.$$" . >&2
        mv "$binary.$$" "$binary"
    fi
done
if [ "${1:-}" = --record ]; then
    for version in 36 37; do
        "$folder/devices-$version-$key" -version $version -ours "$ours" -n 400 -record
    done | gzip -9n >"$here/record.gz"
    exit
fi
"$folder/devices-36-$key" -version 36 -ours "$ours" "$@"
"$folder/devices-37-$key" -version 37 -ours "$ours" "$@"
