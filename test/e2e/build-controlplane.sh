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
case $version in
1.37.1) modfile=go-1.37.mod ;;
1.36.3) modfile=go.mod ;;
1.33.13) modfile=go-1.33.mod ;;
1.30.14) modfile=go-1.30.mod ;;
*)
    echo "build-controlplane: no module file for Kubernetes $version (have 1.37.1, 1.36.3, 1.33.13, 1.30.14)" >&2
    exit 2
    ;;
esac
if ! command -v go >/dev/null 2>&1; then
    echo "build-controlplane: go is not installed" >&2
    exit 3
fi
cd "$source"
key=$(cat ./*.go "$modfile" "${modfile%.mod}.sum" | sha256sum | cut -c1-16)
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
    nice go build -modfile="$modfile" -mod=readonly -trimpath -buildvcs=false -o "$binary.$$" \
        -ldflags "-s -w -X $about.gitVersion=v$version -X $about.gitMajor=1 -X $about.gitMinor=$minor" . >&2
    mv "$binary.$$" "$binary"
fi
echo "$binary"
