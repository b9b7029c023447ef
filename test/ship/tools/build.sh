#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds one of the tools of the checks of packages from its Go module and prints the path of its binary:
#   build.sh helm          builds when it is not there
#   build.sh -n helm       does not build; prints nothing when it is not there
# Each tool has a module of its own in the folder beside this file, because their dependencies disagree. The binary
# is kept in the user's cache folder under a name that changes with the module's sums, so a second call answers at
# once. Exit code 3: Go is missing.
set -eu
build=yes
if [ "${1:-}" = -n ]; then
    build=no
    shift
fi
name=${1:-}
source=$(cd "$(dirname "$0")" && pwd)/$name
if [ -z "$name" ] || [ ! -f "$source/go.mod" ]; then
    echo "build.sh: no tool \"$name\" (have helm, nfpm, promtool)" >&2
    exit 2
fi
cd "$source"
key=$(cat go.mod go.sum | sha256sum | cut -c1-16)
folder=${XDG_CACHE_HOME:-$HOME/.cache}/sakkara/tools/$name-$key
binary=$folder/$name
if [ "$build" = no ] && [ ! -x "$binary" ]; then
    exit 0
fi
if [ ! -x "$binary" ]; then
    if ! command -v go >/dev/null 2>&1; then
        echo "build.sh: go is not installed" >&2
        exit 3
    fi
    mkdir -p "$folder"
    if command -v flock >/dev/null 2>&1; then # a second caller waits for the first
        exec 9>"$folder/lock"
        flock 9
    fi
fi
if [ ! -x "$binary" ]; then
    package=$(sed -n 's/^tool //p' go.mod)
    tags=$(sed -n 's|^// tags: ||p' go.mod)
    echo "build.sh: building $name, some minutes when cold" >&2
    nice go build -mod=readonly -trimpath -buildvcs=false -ldflags "-s -w" -tags "$tags" -o "$binary.$$" "$package" >&2
    mv "$binary.$$" "$binary"
fi
echo "$binary"
