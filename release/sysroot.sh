#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints a folder with headers and libraries of another architecture of this Debian, for a cross compiler:
#   sysroot.sh arm64
# The packages are unpacked, not installed: no script of theirs runs, and this machine's own are left alone. A package
# database lies in it, which `dpkg --admindir` reads. It is kept in the user's cache folder under a name that changes
# with the packages asked for. Exit code 3: this is no Debian.
set -eu
arch=$1
packages="libc6-dev libjansson-dev libcurl4-openssl-dev libmicrohttpd-dev libyaml-dev libgnutls28-dev uthash-dev libcmocka-dev"
for tool in apt-get dpkg-deb; do
    command -v $tool >/dev/null 2>&1 || {
        echo "sysroot.sh: needs $tool" >&2
        exit 3
    }
done
key=$(. /etc/os-release && echo "$arch $VERSION_ID $packages" | sha256sum | cut -c1-16)
folder=${XDG_CACHE_HOME:-$HOME/.cache}/sakkara/sysroot/$arch-$key
if [ ! -d "$folder" ]; then
    work=$folder.$$
    trap 'rm -rf "$work"' EXIT
    database=$work/root/var/lib/dpkg
    mkdir -p "$work/lists/partial" "$work/archives/partial" "$database/info"
    : >"$work/none"
    apt() { # with nothing installed, and nothing of it seen by this machine's apt
        apt-get -q -y --no-install-recommends -o APT::Architecture="$arch" -o APT::Architectures::="$arch" \
            -o Dir::State::lists="$work/lists" -o Dir::State::status="$work/none" -o Dir::Cache="$work" \
            -o Dir::Cache::archives="$work/archives" -o APT::Sandbox::User=root -o APT::Update::Post-Invoke::= "$@" >&2
    }
    apt update
    # shellcheck disable=SC2086
    apt install --download-only $packages
    for file in "$work"/archives/*.deb; do
        dpkg-deb -x "$file" "$work/root"
        name=$(dpkg-deb -f "$file" Package)
        {
            echo "Status: install ok unpacked"
            dpkg-deb -f "$file" Package Version Architecture Maintainer Description
            echo
        } >>"$database/status"
        dpkg-deb --fsys-tarfile "$file" | tar -t | sed 's/^\.//; s/\/$//; s/^$/\/./' >"$database/info/$name.list"
    done
    mv "$work/root" "$folder" 2>/dev/null || [ -d "$folder" ] # another call was faster
fi
echo "$folder"
