#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the control plane used by the end-to-end tests and prints the path of its binary:
#   build-controlplane.sh [VERSION]        VERSION: 1.37.1, 1.36.3 (default), 1.33.13 or 1.30.14
#   build-controlplane.sh -n VERSION       does not build; prints nothing when it is not there
# The binary is kept in the user's cache folder under a name that changes with its sources and module
# sums, so a second call answers at once. A cold build takes about seven CPU minutes a version.
set -eu
build=yes
if [ "${1:-}" = -n ]; then
    build=no
    shift
fi
version=${1:-1.36.3}
source=$(cd "$(dirname "$0")/controlplane" && pwd)
# The module file of 1.36.3 and its sums are kept. Those of the others are written where the binary is
# built; they have to be, byte for byte, what they were when the version was added.
case $version in
1.36.3) pinned= ;;
1.37.1) pinned=549712030d113cdf12653b1988bfeb11593adc3e35c687b7cd684f75017a3c61 ;;
1.33.13) pinned=2772fde6a1f6e9367164e10f276e284b515a4ee0f1f4041e6d5299e3315959bb ;;
1.30.14) pinned=79897d21424c698f9a61266d06f7403ddd838ab8651a9c2b0ee4e1300bfbe898 ;;
*)
    echo "build-controlplane: Kubernetes $version is not known (have 1.37.1, 1.36.3, 1.33.13, 1.30.14)" >&2
    exit 2
    ;;
esac
if ! command -v go >/dev/null 2>&1; then
    echo "build-controlplane: go is not installed" >&2
    exit 3
fi
cd "$source"
modules() { if [ -n "$pinned" ]; then echo "$pinned"; else cat go.mod go.sum; fi; }
key=$({ cat ./*.go && modules; } | sha256sum | cut -c1-16)
folder=${XDG_CACHE_HOME:-$HOME/.cache}/sakkara/controlplane/$version-$key
binary=$folder/controlplane
if [ "$build" = no ] && [ ! -x "$binary" ]; then
    exit 0
fi
if [ ! -x "$binary" ]; then
    mkdir -p "$folder"
    if command -v flock >/dev/null 2>&1; then # a second caller waits for the first
        exec 9>"$folder/lock"
        flock 9
    fi
fi
if [ ! -x "$binary" ]; then
    echo "build-controlplane: building Kubernetes $version, some minutes when cold" >&2
    minor=${version#1.}
    minor=${minor%%.*}
    about=k8s.io/component-base/version
    modfile=$source/go.mod
    if [ -n "$pinned" ]; then
        modfile=$folder/go.mod
        ./generate-mod.sh "$version" "$modfile" >&2
        if [ "$(cat "$modfile" "$folder/go.sum" | sha256sum)" != "$pinned  -" ]; then
            echo "build-controlplane: $folder/go.mod and go.sum are not the ones of Kubernetes $version that are pinned here" >&2
            exit 1
        fi
    fi
    nice go build -modfile="$modfile" -mod=readonly -trimpath -buildvcs=false -o "$binary.$$" \
        -ldflags "-s -w -X $about.gitVersion=v$version -X $about.gitMajor=1 -X $about.gitMinor=$minor" . >&2
    mv "$binary.$$" "$binary"
fi
echo "$binary"
