#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Random gangs with volumes on random clusters. The engine plans each (ours/ours.c, $VOLUMES_BIN or
# build/obj/test/upstream/volumes/ours/ours), and kube-scheduler's own plugins for volumes judge the plan: they have to
# accept each member, and, where there is no plan, no placement of all members.
#   run.sh [-n N] [-seed N]    new clusters; needs Go
#   run.sh --record            keeps the first 300 clusters with their plans in record.gz; needs Go
#   run.sh --recorded          plays these, without Go
# The last line counts the clusters. The program in Go is kept in the user's cache folder, under a name that changes with
# its sources. Its modules are those of the control plane of the end-to-end tests.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
ours=${VOLUMES_BIN:-$here/../../../build/obj/test/upstream/volumes/ours/ours}
if [ "${1:-}" = --recorded ]; then
    [ -x "$ours" ] || make -s -C "$here/../../.." build/obj/test/upstream/volumes/ours/ours
    gzip -dc "$here/record.gz" | "$ours" --recorded
    exit
fi
if ! command -v go >/dev/null 2>&1; then
    echo "SKIP volumes: go is not installed"
    [ "${CI:-}" != true ]
    exit
fi
folder=${XDG_CACHE_HOME:-$HOME/.cache}/sakkara/upstream
modules=$here/../../e2e/controlplane/go.mod
key=$(cat "$here"/*.go "$modules" | sha256sum | cut -c1-16)
binary=$folder/volumes-$key
if [ ! -x "$binary" ]; then
    mkdir -p "$folder"
    echo "run.sh: building volumes, some minutes when cold" >&2
    nice go build -C "$here" -modfile="$modules" -mod=readonly -trimpath -buildvcs=false -ldflags '-s -w' \
        -o "$binary.$$" . >&2
    mv "$binary.$$" "$binary"
fi
if [ "${1:-}" = --record ]; then
    "$binary" -ours "$ours" -n 300 -record >"$here/record.$$"
    gzip -9nc "$here/record.$$" >"$here/record.gz"
    rm "$here/record.$$"
    exit
fi
"$binary" -ours "$ours" "$@"
