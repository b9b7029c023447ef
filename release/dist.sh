#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes what a release consists of into build/dist (or the folder given):
#   source tarball, archive and packages (deb, rpm, apk) of this machine's architecture, chart, SBOMs, manifests of Krew
#   and Artifact Hub, SHA256SUMS
# Same commit, same bytes: folder, umask, zone and locale do not count. The tree has to be committed; DIRTY=1 tries it
# out all the same. Needs Go, for nfpm.
set -eu
cd "$(dirname "$0")/.."
out=${1:-build/dist}
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
x86_64) arch=amd64 ;;
aarch64) arch=arm64 ;;
*) arch=$(uname -m) ;;
esac
rm -rf "$out"
mkdir -p "$out/stage"
out=$(cd "$out" && pwd)
stage=$out/stage

# pack FILE FOLDER NAME: the same bytes for the same files
pack() {
    tar --sort=name --mtime="@$epoch" --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --format=gnu \
        -C "$2" -cf - "$3" | gzip -9n >"$out/$1"
}

# ---- sources ----
git archive --format=tar --prefix="sakkara-$version/" HEAD | gzip -9n >"$out/sakkara-$version.tar.gz"

# ---- program ----
# jansson, libyaml and libmicrohttpd are inside; what gets the distribution's fixes is not: libcurl, GnuTLS, libc.
# Paths are relative, and there is no debug information: the folder's name is nowhere in it.
objects=build/dist-obj
make="make -s --no-print-directory O=$objects BIN=$objects/sakkara PLUGIN=$objects/kubectl-sakkara VERSION=$version
    REVISION=$revision DATE=$(git log -1 --format=%cI)"
static="-Wl,-Bstatic -ljansson -lyaml -lmicrohttpd -Wl,-Bdynamic -lcurl -lgnutls -lpthread"
$make -j"$(nproc)" CFLAGS=-g0 LDFLAGS="-Wl,-Map=$objects/link.map -Wl,--build-id=none" LDLIBS="$static" all
strip -o "$stage/sakkara" "$objects/sakkara"

# ---- archive ----
name=sakkara-$version-linux-$arch
root=$stage/$name
mkdir -p "$root/man/man8" "$root/man/man1" "$root/man/man5" "$root/completion"
cp "$stage/sakkara" "$root/sakkara"
ln -s sakkara "$root/kubectl-sakkara"
cp configs/kubectl_complete-sakkara LICENSE README.md CHANGELOG.md "$root/"
"$stage/sakkara" __man sakkara >"$root/man/man8/sakkara.8"
"$stage/sakkara" __man kubectl-sakkara >"$root/man/man1/kubectl-sakkara.1"
for page in docs/man/*.5; do
    sed 's/^\(.TH [^ ]* 5\) "" "sakkara"/\1 "" "sakkara '"$version"'"/' "$page" >"$root/man/man5/$(basename "$page")"
done
"$stage/sakkara" completion bash >"$root/completion/sakkara.bash"
"$stage/sakkara" completion zsh >"$root/completion/_sakkara"
"$stage/sakkara" completion fish >"$root/completion/sakkara.fish"
pack "$name.tar.gz" "$stage" "$name"

# ---- packages ----
usr=$stage/usr-root/usr
mkdir -p "$usr/bin" "$usr/share/man" "$usr/share/doc/sakkara" "$usr/share/bash-completion/completions" \
    "$usr/share/zsh/site-functions" "$usr/share/fish/vendor_completions.d" "$usr/share/sakkara"
cp "$root/sakkara" "$root/kubectl_complete-sakkara" "$usr/bin/"
ln -s sakkara "$usr/bin/kubectl-sakkara"
cp -R "$root/man/." "$usr/share/man/"
gzip -9n "$usr"/share/man/man*/*
cp "$root/completion/sakkara.bash" "$usr/share/bash-completion/completions/sakkara"
cp "$root/completion/_sakkara" "$usr/share/zsh/site-functions/"
cp "$root/completion/sakkara.fish" "$usr/share/fish/vendor_completions.d/"
cp README.md CHANGELOG.md LICENSE "$usr/share/doc/sakkara/"
cp -R configs manifests "$usr/share/sakkara/"
find "$usr" -exec touch -h -d "@$epoch" {} +
nfpm=$(test/ship/tools/build.sh nfpm)
# What the program loads, by the packages that have it.
depends=$(objdump -p "$stage/sakkara" | sed -n 's/^ *NEEDED *//p' | while read -r library; do
    file=$(ldd "$stage/sakkara" | awk -v l="$library" '$1 == l { print $3 }')
    { dpkg -S "$file" 2>/dev/null || dpkg -S "$(readlink -f "$file")" 2>/dev/null || dpkg -S "${file#/usr}"; } | cut -d: -f1
done | sort -u | paste -sd, - | sed 's/,/, /g')
sed -e "s|\${ARCH}|$arch|; s|\${VERSION}|$version|; s|\${STAGE}|$stage/usr-root|; s|\${DEB_DEPENDS}|$depends|" \
    -e "s|\${MTIME}|$(date -u -d "@$epoch" +%Y-%m-%dT%H:%M:%SZ)|g" release/nfpm.yaml >"$stage/nfpm.yaml"
for kind in deb rpm apk; do
    "$nfpm" package --config "$stage/nfpm.yaml" --packager "$kind" --target "$out/sakkara-$version-$arch.$kind" >/dev/null
done

# ---- chart ----
cp -R manifests/chart "$stage/chart"
sed -i "s/^version: .*/version: $version/; s/^appVersion: .*/appVersion: $version/" "$stage/chart/sakkara/Chart.yaml"
sed -i "s/^  tag: latest/  tag: $version/" "$stage/chart/sakkara/values.yaml"
pack "sakkara-chart-$version.tgz" "$stage/chart" sakkara

# ---- what it is made of, indexes, sums ----
python3 release/sbom.py "$stage/sakkara" "$objects/link.map" "$version" "$epoch" "$out/$name"
sum=$(sha256sum "$out/$name.tar.gz" | cut -d' ' -f1)
sed -e "s|\${VERSION}|$version|g; s|\${ARCH}|$arch|g; s|\${NAME}|$name|g; s|\${SHA256}|$sum|g" release/krew.yaml >"$out/krew.yaml"
sed -e "s|\${VERSION}|$version|g" release/artifacthub.yaml >"$out/artifacthub-repo.yaml"
rm -rf "$stage"
(cd "$out" && find . -type f ! -name SHA256SUMS -printf '%P\n' | sort | xargs sha256sum >SHA256SUMS)
echo "$out"
