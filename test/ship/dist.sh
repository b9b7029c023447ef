#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks `make dist`: two builds in different folders, umasks, zones and locales are the same bytes; the archive's
# program runs, the packages hold what they must, the SBOM lists what the program loads, the chart is the chart.
# Not in the gate: it compiles the program twice. DIRTY=1 also with changes that are not committed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=${here%/test/ship}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v go >/dev/null 2>&1 || {
    echo "SKIP dist: go is not installed"
    [ "${CI:-}" = true ] && exit 1
    exit 0
}
fail() {
    echo "dist: $1"
    exit 1
}
first=$work/first
"$root/release/dist.sh" "$first" >/dev/null
git clone -q "$root" "$work/other folder" && cd "$work/other folder"
if git -C "$root" describe --exact-match --tags >/dev/null 2>&1; then git fetch -q --tags; fi
(umask 077 && TZ=Asia/Kolkata LC_ALL=C.UTF-8 release/dist.sh "$work/second" >/dev/null)
diff -r "$first" "$work/second" || fail "two builds differ"
cd "$first"
sha256sum --quiet -c SHA256SUMS || fail "sums are wrong"
archive=$(ls sakkara-*-linux-*.tar.gz)
name=${archive%.tar.gz}
mkdir "$work/unpacked" && tar -C "$work/unpacked" -xzf "$archive"
"$work/unpacked/$name/sakkara" demo | grep -q 'as it must be: all eight bound, none alone' || fail "the demo"
"$work/unpacked/$name/kubectl-sakkara" --help | grep -q 'kubectl sakkara' || fail "the link for kubectl"
for file in LICENSE man/man8/sakkara.8 man/man1/kubectl-sakkara.1 man/man5/sakkara-group.5 completion/sakkara.bash; do
    [ -s "$work/unpacked/$name/$file" ] || fail "the archive lacks $file"
done
needed=$(objdump -p "$work/unpacked/$name/sakkara" | sed -n 's/^ *NEEDED *//p' | sort | tr '\n' ' ')
case $needed in
*jansson* | *yaml* | *microhttpd*) fail "loads what has to be inside: $needed" ;;
esac
if command -v dpkg-deb >/dev/null 2>&1; then
    dpkg-deb -c ./*.deb | grep -q './usr/share/man/man8/sakkara.8.gz' || fail "the deb has no man page"
    dpkg-deb -f ./*.deb Depends | grep -q libcurl || fail "the deb depends on nothing"
fi
python3 - "$name" <<'CHECK'
import json, sys
spdx, cdx = json.load(open(sys.argv[1] + ".spdx.json")), json.load(open(sys.argv[1] + ".cdx.json"))
names = {p["name"] for p in spdx["packages"]} - {"sakkara"}
assert names == {c["name"] for c in cdx["components"]}, names
static = {r["relatedSpdxElement"] for r in spdx["relationships"] if r["relationshipType"] == "STATIC_LINK"}
assert len(static) == 3, static
for part in ("libjansson", "libyaml", "libmicrohttpd", "libcurl", "libgnutls", "libc6"):
    assert any(n.startswith(part) for n in names), part
CHECK
grep -q "sha256: $(sha256sum "$archive" | cut -d' ' -f1)" krew.yaml || fail "the sum for Krew"
helm=$("$here/tools/build.sh" helm)
"$helm" template sakkara ./sakkara-chart-*.tgz -n sakkara --kube-version 1.36.3 | grep -q 'kind: Deployment' || fail "the chart"
echo "1 passed, 0 failed"
