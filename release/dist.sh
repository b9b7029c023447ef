#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes what a release consists of into build/dist (or the folder given):
#   source tarball; archive, packages (deb, rpm, apk) and SBOMs of each architecture; chart; manifest of Krew, metadata
#   of Artifact Hub; SHA256SUMS
# Same commit, same bytes: folder, umask, zone and locale do not count. The tree has to be committed; DIRTY=1 packs it
# without that. Needs Go, for nfpm. URL is the address at which the release will be published.
# Architectures: this machine's, and arm64 if aarch64-linux-gnu-gcc is installed. ARCHES="amd64 arm64" demands both.
set -eu
cd "$(dirname "$0")/.."
out=${1:-build/dist}
URL=${URL:-https://example.invalid/sakkara}
export LC_ALL=C TZ=UTC
umask 022
number=$(sed -n 's/^NUMBER := //p' Makefile)
revision=$(git rev-parse HEAD)
epoch=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH="$epoch"
if [ "${DIRTY:-}" != 1 ] && [ -n "$(git status --porcelain)" ]; then
    echo "dist: there are changes that are not committed; DIRTY=1 packs the last commit's sources and this tree's program" >&2
    exit 1
fi
# A release is a tag of its number; other commits say which they are.
version=$number
[ "$(git tag --points-at HEAD "v$number" 2>/dev/null)" = "v$number" ] || version=$number-g$(git rev-parse --short=8 HEAD)
case $(uname -m) in
x86_64) native=amd64 ;;
aarch64) native=arm64 ;;
*) native=$(uname -m) ;;
esac
if [ -z "${ARCHES:-}" ]; then
    ARCHES=$native
    if [ "$native" != arm64 ] && command -v aarch64-linux-gnu-gcc >/dev/null 2>&1; then
        ARCHES="$ARCHES arm64"
    elif [ "$native" != arm64 ]; then
        echo "SKIP arm64: aarch64-linux-gnu-gcc is not installed" >&2
    fi
fi
nfpm=$(test/ship/tools/build.sh nfpm)
rm -rf "$out"
mkdir -p "$out/stage"
out=$(cd "$out" && pwd)
stage=$out/stage

# pack FILE FOLDER NAME: the same bytes for the same files
pack() {
    tar --sort=name --mtime="@$epoch" --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --format=gnu \
        -C "$2" -cf - "$3" | gzip -9n >"$out/$1"
}

# compile ARCH: the program, in $stage/ARCH/sakkara, and `packages`, those that it loads libraries of.
# jansson, libyaml and libmicrohttpd are inside. libcurl, GnuTLS and libc are not: the distribution fixes them.
# Paths are relative, and there is no debug information: the folder's name is nowhere in it.
compile() {
    objects=build/dist-obj/$1
    cc=${CC:-cc} prefix='' root=''
    if [ "$1" != "$native" ]; then
        prefix=aarch64-linux-gnu-
        root=$(release/sysroot.sh "$1")
        cc="${prefix}gcc --sysroot=$root"
    fi
    make -s --no-print-directory -j"$(nproc)" O="$objects" BIN="$objects/sakkara" PLUGIN="$objects/kubectl-sakkara" \
        VERSION="$version" REVISION="$revision" DATE="$(git log -1 --format=%cI)" CFLAGS=-g0 \
        CC="$cc" AR="${prefix}ar" LD="${prefix}ld" LDFLAGS="-Wl,-Map=$objects/link.map -Wl,--build-id=none" \
        LDLIBS="-Wl,-Bstatic -ljansson -lyaml -lmicrohttpd -Wl,-Bdynamic -lcurl -lgnutls -lpthread" all
    mkdir -p "$stage/$1"
    "${prefix}strip" -o "$stage/$1/sakkara" "$objects/sakkara"
    packages=$(python3 release/sbom.py "$stage/$1/sakkara" "$objects/link.map" "$($cc -dumpmachine)" "$root" \
        "$version" "$epoch" "$out/sakkara-$version-linux-$1")
}

# archive ARCH: program, link, completion, man pages. Their texts are those of this machine's program.
archive() {
    name=sakkara-$version-linux-$1
    files=$stage/$name
    mkdir -p "$files/man/man8" "$files/man/man1" "$files/man/man5" "$files/completion"
    cp "$stage/$1/sakkara" "$files/sakkara"
    ln -s sakkara "$files/kubectl-sakkara"
    cp configs/kubectl_complete-sakkara LICENSE README.md CHANGELOG.md CONTRIBUTING.md "$files/"
    cp -R docs "$files/docs" # the README links to them
    "$stage/$native/sakkara" __man sakkara >"$files/man/man8/sakkara.8"
    "$stage/$native/sakkara" __man kubectl-sakkara >"$files/man/man1/kubectl-sakkara.1"
    for page in docs/man/*.5; do
        sed 's/^\(.TH [^ ]* 5\) "" "sakkara"/\1 "" "sakkara '"$version"'"/' "$page" >"$files/man/man5/$(basename "$page")"
    done
    "$stage/$native/sakkara" completion bash >"$files/completion/sakkara.bash"
    "$stage/$native/sakkara" completion zsh >"$files/completion/_sakkara"
    "$stage/$native/sakkara" completion fish >"$files/completion/sakkara.fish"
    pack "$name.tar.gz" "$stage" "$name"
}

# packages ARCH: deb, rpm and apk of the archive's files. What they depend on is what the program loads.
packages() {
    tree=$stage/$1/root
    usr=$tree/usr
    mkdir -p "$usr/bin" "$usr/share/man" "$usr/share/doc/sakkara" "$usr/share/bash-completion/completions" \
        "$usr/share/zsh/site-functions" "$usr/share/fish/vendor_completions.d" "$usr/share/sakkara"
    cp "$files/sakkara" "$files/kubectl_complete-sakkara" "$usr/bin/"
    ln -s sakkara "$usr/bin/kubectl-sakkara"
    cp -R "$files/man/." "$usr/share/man/"
    gzip -9n "$usr"/share/man/man*/*
    cp "$files/completion/sakkara.bash" "$usr/share/bash-completion/completions/sakkara"
    ln -s sakkara "$usr/share/bash-completion/completions/kubectl-sakkara"
    cp "$files/completion/_sakkara" "$usr/share/zsh/site-functions/"
    cp "$files/completion/sakkara.fish" "$usr/share/fish/vendor_completions.d/"
    cp README.md CHANGELOG.md LICENSE CONTRIBUTING.md "$usr/share/doc/sakkara/"
    cp -R docs "$usr/share/doc/sakkara/docs"
    cp -R configs manifests "$usr/share/sakkara/"
    find "$usr" -exec touch -h -d "@$epoch" {} +
    glibc=$(readelf -V "$files/sakkara" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1)
    deb=$(for package in $packages; do
        [ "$package" = libc6 ] && echo "\"libc6 (>= ${glibc#GLIBC_})\"" || echo "$package"
    done | paste -sd,)
    needed=$(readelf -d "$files/sakkara" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
    rpm=$(for library in $needed; do
        [ "$library" = libc.so.6 ] && echo "\"$library($glibc)(64bit)\"" || echo "\"$library()(64bit)\""
    done | paste -sd,)
    apk=$(for library in $needed; do echo "\"so:$library\""; done | paste -sd,)
    sed -e "s|\${ARCH}|$1|; s|\${VERSION}|$version|; s|\${STAGE}|$tree|; s|\${URL}|$URL|" \
        -e "s|\${DEB}|$deb|; s|\${RPM}|$rpm|; s|\${APK}|$apk|" \
        -e "s|\${MTIME}|$(date -u -d "@$epoch" +%Y-%m-%dT%H:%M:%SZ)|g" release/nfpm.yaml >"$stage/nfpm.yaml"
    for kind in deb rpm apk; do
        "$nfpm" package --config "$stage/nfpm.yaml" --packager "$kind" --target "$out/sakkara-$version-$1.$kind" >/dev/null
    done
}

# krew ARCH...: the plugin's manifest, with the sums of the archives
krew() {
    sed -e '/^  platforms:/q' -e "s|\${VERSION}|$version|; s|\${URL}|$URL|" release/krew.yaml
    for arch in "$@"; do
        sum=$(sha256sum "$out/sakkara-$version-linux-$arch.tar.gz" | cut -d' ' -f1)
        sed -e '1,/^  platforms:/d' -e "s|\${ARCH}|$arch|g; s|\${SHA256}|$sum|; s|\${VERSION}|$version|g; s|\${URL}|$URL|" \
            release/krew.yaml
    done
}

git archive --format=tar --prefix="sakkara-$version/" HEAD | gzip -9n >"$out/sakkara-$version.tar.gz"
for arch in $ARCHES; do
    compile "$arch"
    archive "$arch"
    packages "$arch"
done
# shellcheck disable=SC2086
krew $ARCHES >"$out/krew.yaml"

cp -R manifests/chart "$stage/chart"
sed -i "s/^version: .*/version: $version/; s/^appVersion: .*/appVersion: $version/" "$stage/chart/sakkara/Chart.yaml"
sed -i "s/^  tag: latest/  tag: $version/" "$stage/chart/sakkara/values.yaml"
sed -e "s|\${VERSION}|$version|; s|\${URL}|$URL|" -e "s|\${PRERELEASE}|$([ "$version" = "$number" ] && echo false || echo true)|" \
    -e "s|\${IMAGE}|$(sed -n '/^image:/,/^[a-z]/s/^  repository: //p' manifests/chart/sakkara/values.yaml)|" \
    release/artifacthub-chart.yaml >>"$stage/chart/sakkara/Chart.yaml"
pack "sakkara-chart-$version.tgz" "$stage/chart" sakkara
cp release/artifacthub.yaml "$out/artifacthub-repo.yml"

rm -rf "$stage"
(cd "$out" && find . -type f ! -name SHA256SUMS -printf '%P\n' | sort | xargs sha256sum >SHA256SUMS)
echo "$out"
