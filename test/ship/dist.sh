#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks `make dist`: two builds in different folders, umasks, zones and locales are the same bytes; the archive's
# program runs, that of arm64 under qemu; packages, SBOMs and indexes are what they say; the deb and the rpm are
# installed, used and removed. Not in the gate: it compiles each program twice. DIRTY=1 also with changes that are not
# committed. What this machine has no tool for is skipped, which is an error under CI=true.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=${here%/test/ship}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
skip() {
    echo "SKIP $1"
    [ "${CI:-}" != true ] || exit 1
}
fail() {
    echo "dist: $1"
    echo "$passed passed, 1 failed"
    exit 1
}
command -v go >/dev/null 2>&1 || {
    skip "dist: go is not installed"
    exit 0
}

# ---- the same bytes ----
# The first build is the caller's compiler, perhaps with a cache; the second one compiles for sure.
first=$work/first
"$root/release/dist.sh" "$first" >/dev/null
git clone -q "$root" "$work/other folder"
(cd "$work/other folder" && umask 077 && TZ=Asia/Kolkata LC_ALL=C.UTF-8 CC=cc DIRTY='' release/dist.sh "$work/second" >/dev/null)
diff -r "$first" "$work/second" || fail "two builds differ"
(cd "$first" && sha256sum --quiet -c SHA256SUMS) || fail "sums are wrong"
passed=$((passed + 1))

# ---- the programs ----
cd "$first"
mkdir "$work/unpacked"
for archive in sakkara-*-linux-*.tar.gz; do
    name=${archive%.tar.gz}
    tar -C "$work/unpacked" -xzf "$archive"
    run=
    case $name in
    *-arm64)
        command -v qemu-aarch64-static >/dev/null 2>&1 || {
            skip "arm64: qemu-aarch64-static is not installed"
            continue
        }
        run="qemu-aarch64-static -L $("$root/release/sysroot.sh" arm64)"
        ;;
    esac
    # shellcheck disable=SC2086
    $run "$work/unpacked/$name/sakkara" demo | grep -q 'as it must be: all eight bound, none alone' || fail "the demo of $name"
    needed=$(readelf -d "$work/unpacked/$name/sakkara" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | tr '\n' ' ')
    case $needed in
    *jansson* | *yaml* | *microhttpd*) fail "$name loads what has to be inside: $needed" ;;
    esac
    for file in LICENSE man/man8/sakkara.8 man/man1/kubectl-sakkara.1 man/man5/sakkara-group.5 completion/sakkara.bash \
        $(grep -o '](\([^)#:]*\)' "$work/unpacked/$name/README.md" | cut -c3- | sort -u); do
        [ -s "$work/unpacked/$name/$file" ] || fail "$name has no $file"
    done
    passed=$((passed + 1))
done
ls "$first"/*-arm64.deb >/dev/null 2>&1 || skip "arm64: aarch64-linux-gnu-gcc is not installed"

# ---- packages, SBOMs, indexes, chart ----
(cd "$here" && SAKKARA_DIST=$first go test -count=1 -run TestDist .) || fail "what is said of the files"
passed=$((passed + 1))
tools=${XDG_CACHE_HOME:-$HOME/.cache}/sakkara/tools/sbom-$(sha256sum <"$here/tools/sbom/requirements.txt" | cut -c1-16)
if [ -x "$tools/bin/python" ] || { python3 -m venv "$tools.$$" && "$tools.$$/bin/pip" install -q --disable-pip-version-check \
    -r "$here/tools/sbom/requirements.txt" && mv "$tools.$$" "$tools"; } >/dev/null 2>&1; then
    "$tools/bin/python" "$here/tools/sbom/validate.py" "$first"/*.spdx.json "$first"/*.cdx.json || fail "the schemas of the SBOMs"
    passed=$((passed + 1))
else
    rm -rf "$tools.$$"
    skip "schemas of the SBOMs: no venv, or no packages for it"
fi
helm=$("$here/tools/build.sh" helm)
"$helm" template sakkara "$first"/sakkara-chart-*.tgz -n sakkara --kube-version 1.36.3 | grep -q 'kind: Deployment' || fail "the chart"
passed=$((passed + 1))
if [ "$(id -u)" = 0 ] && command -v debootstrap >/dev/null 2>&1 && unshare -m true 2>/dev/null; then
    "$here/packages.sh" "$first" || fail "the packages"
    passed=$((passed + 1))
else
    skip "packages: not root, or no debootstrap"
fi
echo "$passed passed, 0 failed"
