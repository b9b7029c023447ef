#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what is needed from the distribution: `deps.sh build` to build and run, `deps.sh all` also
# to test, `deps.sh ci` also for the tests that other machines skip, `deps.sh dist` also for a release
# of both architectures. Does nothing if everything is installed. On an unknown distribution it prints the list and
# stops.
set -eu

want=${1:-all}

has() {
    command -v "$1" >/dev/null 2>&1
}

# Echoes what is missing, in words of this script.
missing() {
    for tool in cc make pkg-config; do
        has "$tool" || echo "$tool"
    done
    for library in jansson libcurl libmicrohttpd yaml-0.1 gnutls; do
        { has pkg-config && pkg-config --exists "$library"; } || echo "$library"
    done
    { has cc && echo '#include <uthash.h>' | cc -E - >/dev/null 2>&1; } || echo uthash
    [ "$want" != build ] || return 0
    { has pkg-config && pkg-config --exists cmocka; } || echo cmocka
    for tool in gcc clang cppcheck valgrind openssl bash glpsol groff; do
        has "$tool" || echo "$tool"
    done
    has clang-format-14 || has clang-format || echo clang-format
    # A second kubectl beside the one that is built, where the distribution has it.
    has kubectl || ! apt_knows kubernetes-client || echo kubectl
    [ "$want" = ci ] || [ "$want" = dist ] || return 0
    for tool in buildah debootstrap node npm; do
        has "$tool" || echo "$tool"
    done
    has chromium-headless-shell || has chromium || echo chromium
    has firefox-esr || has firefox || echo firefox
    [ "$want" = dist ] || return 0
    for tool in aarch64-linux-gnu-gcc qemu-aarch64-static rpm; do
        has "$tool" || echo "$tool"
    done
}

apt_knows() {
    has apt-cache && apt-cache show "$1" >/dev/null 2>&1
}

lacking=$(missing | tr '\n' ' ')
[ -n "$lacking" ] || exit 0
echo "missing: $lacking"

apt_build="gcc libc6-dev make pkg-config libjansson-dev libcurl4-openssl-dev libmicrohttpd-dev libyaml-dev libgnutls28-dev uthash-dev"
apt_test="libcmocka-dev clang cppcheck valgrind openssl bash glpk-utils groff-base"
apt_ci="buildah debootstrap firefox-esr"
apt_dist="gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static rpm"
dnf_build="gcc make pkgconf-pkg-config jansson-devel libcurl-devel libmicrohttpd-devel libyaml-devel gnutls-devel uthash-devel"
dnf_test="libcmocka-devel clang clang-tools-extra cppcheck valgrind openssl bash glpk-utils groff-base libasan libubsan libtsan"
dnf_ci="buildah debootstrap nodejs npm chromium-headless firefox"
apk_build="gcc musl-dev make pkgconf jansson-dev curl-dev libmicrohttpd-dev yaml-dev gnutls-dev uthash-dev"
apk_test="cmocka-dev clang clang-extra-tools compiler-rt cppcheck valgrind openssl bash glpk groff"
apk_ci="buildah debootstrap nodejs npm chromium firefox"

as_root=
if [ "$(id -u)" != 0 ]; then
    if ! has sudo; then
        echo "not root and no sudo; run this as root: $0 $want" >&2
        exit 1
    fi
    as_root=sudo
fi

if has apt-get; then
    packages=$apt_build
    $as_root apt-get update -q
    [ "$want" != dist ] || packages="$packages $apt_dist"
    if [ "$want" = ci ] || [ "$want" = dist ]; then
        packages="$packages $apt_ci"
        # A node of another source has npm in it.
        has node || packages="$packages nodejs"
        has npm || packages="$packages npm"
        if apt_knows chromium-headless-shell; then
            packages="$packages chromium-headless-shell"
        else
            packages="$packages chromium"
        fi
    fi
    if [ "$want" != build ]; then
        packages="$packages $apt_test"
        # The version that settles the format where it exists, else any.
        if apt_knows clang-format-14; then
            packages="$packages clang-format-14"
        else
            packages="$packages clang-format"
        fi
        if ! has kubectl && apt_knows kubernetes-client; then
            packages="$packages kubernetes-client"
        fi
        # Runtime of clang's sanitizers, for make fuzz; a package of its own on some versions.
        for runtime in libclang-rt-dev libclang-rt-14-dev; do
            if apt_knows "$runtime"; then
                packages="$packages $runtime"
                break
            fi
        done
    fi
    # shellcheck disable=SC2086
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $packages
elif has dnf; then
    packages=$dnf_build
    [ "$want" = build ] || packages="$packages $dnf_test"
    [ "$want" != ci ] || packages="$packages $dnf_ci"
    # shellcheck disable=SC2086
    $as_root dnf install -y $packages
elif has apk; then
    packages=$apk_build
    [ "$want" = build ] || packages="$packages $apk_test"
    [ "$want" != ci ] || packages="$packages $apk_ci"
    # shellcheck disable=SC2086
    $as_root apk add $packages
else
    echo "unknown distribution (no apt-get, dnf or apk); please install, under your distribution's names:" >&2
    echo "  to build: a C17 compiler, make, pkg-config, jansson, libcurl, libmicrohttpd with GnuTLS, libyaml, GnuTLS, uthash" >&2
    echo "  to test:  cmocka, gcc, clang, clang-format 14, cppcheck, valgrind, openssl, bash, glpsol (GLPK), groff" >&2
    echo "  all of CI: buildah, debootstrap, node with npm, chromium, firefox" >&2
    exit 1
fi

lacking=$(missing | tr '\n' ' ')
if [ -n "$lacking" ]; then
    echo "still missing: $lacking" >&2
    exit 1
fi
