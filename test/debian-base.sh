#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints the path of a tar with a minimal Debian 12, made by debootstrap (root) and kept in the user's cache folder.
set -eu
suite=bookworm
cache=${XDG_CACHE_HOME:-$HOME/.cache}/sakkara/image
if [ ! -s "$cache/$suite.tar" ]; then
    mkdir -p "$cache"
    dir=$(mktemp -d)
    trap 'rm -rf "$dir"' EXIT
    debootstrap --variant=minbase "$suite" "$dir/base" >"$dir/log" 2>&1 || {
        tail -n 20 "$dir/log" >&2
        echo "debian-base.sh: debootstrap failed" >&2
        exit 1
    }
    rm -f "$dir"/base/var/cache/apt/archives/*.deb
    tar -C "$dir/base" -cf "$cache/$suite.tar.$$" .
    mv "$cache/$suite.tar.$$" "$cache/$suite.tar"
fi
echo "$cache/$suite.tar"
