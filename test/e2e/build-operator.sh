#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds a workload operator from its Go module, for the end-to-end tests. Prints two lines: the path of the binary, and
# the folder with the module's files (its CustomResourceDefinitions, webhooks and samples).
#   build-operator.sh NAME       NAME: a folder of test/e2e/operators
# The binary is kept in the user's cache folder under a name that changes with the module sums. A cold build takes two to
# five CPU minutes.
set -eu
name=${1:?build-operator.sh NAME}
source=$(cd "$(dirname "$0")/operators" && pwd)/$name
if [ ! -f "$source/go.mod" ]; then
    echo "build-operator: $name is not one of $(cd "$source/.." && ls -d */ | tr -d '/' | tr '\n' ' ')" >&2
    exit 2
fi
if ! command -v go >/dev/null 2>&1; then
    echo "build-operator: go is not installed" >&2
    exit 3
fi
cd "$source"
key=$(cat go.mod go.sum | sha256sum | cut -c1-16)
folder=${XDG_CACHE_HOME:-$HOME/.cache}/sakkara/operators/$name-$key
binary=$folder/$name
mkdir -p "$folder"
exec 9>"$folder/lock"
flock 9 # a second caller waits for the first
if [ ! -x "$binary" ]; then
    echo "build-operator: building $name, some minutes when cold" >&2
    package=$(sed -n 's/^tool //p' go.mod)
    nice go build -mod=readonly -trimpath -buildvcs=false -ldflags "-s -w" -o "$binary.$$" "$package" >&2
    mv "$binary.$$" "$binary"
fi
echo "$binary"
go list -mod=readonly -f '{{.Module.Dir}}' "$(sed -n 's/^tool //p' go.mod)"
