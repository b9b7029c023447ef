#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the program of a folder beside this file, which has the code of another scheduler as a module, and prints the
# path of its binary: build.sh karmada. The binary is kept in the user's cache folder under a name that changes with its
# sources and sums, so a second call answers at once.
set -eu
name=$1
cd "$(dirname "$0")/$name"
if ! command -v go >/dev/null 2>&1; then
    echo "build.sh: go is not installed" >&2
    exit 3
fi
key=$(cat ./*.go go.mod go.sum | sha256sum | cut -c1-16)
folder=${XDG_CACHE_HOME:-$HOME/.cache}/sakkara/upstream
binary=$folder/$name-$key
if [ ! -x "$binary" ]; then
    mkdir -p "$folder"
    echo "build.sh: building $name, some minutes when cold" >&2
    nice go build -mod=readonly -trimpath -buildvcs=false -ldflags '-s -w' -o "$binary.$$" . >&2
    mv "$binary.$$" "$binary"
fi
echo "$binary"
