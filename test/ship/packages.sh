#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# packages.sh DIST: installs the deb and the rpm of a `make dist` in a minimal Debian 12, uses the program as its user
# would, and removes them: nothing is left. Needs root, debootstrap; and rpm for the rpm. There is no userland of apk
# here: its files are compared with those of the deb.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
dist=$(cd "$1" && pwd)
work=$(mktemp -d)
root=$work/root
trap 'rm -rf "$work"' EXIT
fail() {
    echo "packages: $1" >&2
    exit 1
}
deb=$(ls "$dist"/*-amd64.deb) rpm=$(ls "$dist"/*-amd64.rpm)

# inside COMMAND: a shell's, in the Debian; mounts go with the namespace
inside() {
    # shellcheck disable=SC2016
    unshare -m sh -ec 'mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev"
        exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
            chroot "$1" sh -ec "$2"' inside "$root" "$1"
}
# files: all that is there, but what package managers and man keep for themselves
files() {
    (cd "$root" && find . -path ./proc -prune -o -path ./dev -prune -o -path ./tmp -prune -o -path ./var/cache -prune -o \
        -path ./var/log -prune -o -path ./var/lib/dpkg -prune -o -path ./var/lib/apt -prune -o -path ./var/lib/rpm -prune -o \
        -print) | sort
}
# use: what a user does with it
use() {
    inside 'sakkara demo' | grep -q 'as it must be: all eight bound, none alone' || fail "$1: the demo"
    inside 'kubectl-sakkara --help' | grep -q 'kubectl sakkara' || fail "$1: the plugin of kubectl"
    for page in sakkara kubectl-sakkara sakkara-group sakkara-topology; do
        inside "man -P cat $page" 2>/dev/null | grep -qi sakkara || fail "$1: man $page"
    done
    # shellcheck disable=SC2016
    inside 'bash -c ". /usr/share/bash-completion/bash_completion; _completion_loader sakkara
        complete -p sakkara" && bash -n /usr/share/bash-completion/completions/kubectl-sakkara' |
        grep -q '^complete .* sakkara$' || fail "$1: completion of bash"
    for file in zsh/site-functions/_sakkara fish/vendor_completions.d/sakkara.fish sakkara/manifests/install.yaml; do
        [ -s "$root/usr/share/$file" ] || fail "$1 has no $file"
    done
}

mkdir "$root"
tar -C "$root" -xf "$("$here/../debian-base.sh")"
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
inside 'apt-get -q update && apt-get -q -y install --no-install-recommends libcurl4 libgnutls30 man-db bash-completion' \
    >"$work/log" 2>&1 || {
    tail -n 20 "$work/log"
    fail "no packages of Debian"
}
files >"$work/before"

cp "$deb" "$root/tmp/sakkara.deb"
inside 'apt-get -q -y install --no-install-recommends /tmp/sakkara.deb' >"$work/log" 2>&1 || {
    tail -n 20 "$work/log"
    fail "the deb cannot be installed"
}
use deb
inside 'apt-get -q -y purge sakkara' >/dev/null 2>&1 || fail "the deb cannot be removed"
files | diff "$work/before" - || fail "the deb leaves files behind"
passed="deb"

if command -v rpm >/dev/null 2>&1; then
    # The packages of Debian give no names of libraries to rpm: test/ship/dist_test.go compares these.
    # These two folders belong to Fedora's package filesystem, so the rpm has only what is in them.
    mkdir -p "$root/usr/share/zsh/site-functions" "$root/usr/share/fish/vendor_completions.d"
    files >"$work/before"
    rpm() { command rpm --root "$root" --dbpath /var/lib/rpm --nodeps "$@"; }
    rpm --ignorearch --ignoreos -i "$rpm" 2>"$work/log" || fail "the rpm: $(cat "$work/log")"
    use rpm
    rpm -e sakkara || fail "the rpm cannot be removed"
    files | diff "$work/before" - || fail "the rpm leaves files behind"
    passed="$passed rpm"
else
    echo "SKIP rpm: it is not installed"
    [ "${CI:-}" != true ] || exit 1
fi
echo "packages: $passed installed, used and removed"
