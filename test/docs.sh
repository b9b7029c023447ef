#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# docs.sh PROGRAM: checks that links of the documents have a target, and that each page opens with its readers. What
# pages show of the program is what it prints: blocks of ```console, examples of workloads, answers of docs/roles.md.
set -u
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/.."
program=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
fail() {
    echo "docs: $1"
    bad=1
}

pages=$(find README.md CHANGELOG.md CONTRIBUTING.md test/README.md docs -name '*.md' ! -path 'docs/man/*')

# The anchors of a page, as a forge makes them of headings outside of blocks.
anchors() {
    awk '/^ *```/ { code = !code } !code && sub(/^#+ +/, "")' "$1" |
        sed 's/\[\([^]]*\)\]([^)]*)/\1/g' | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}

links=0
for page in $pages; do
    for link in $(awk '/^ *```/ { code = !code } !code' "$page" | sed 's/`[^`]*`//g' | grep -oE '\]\([^) ]+\)' | sed 's/^](//; s/)$//'); do
        case $link in *://* | mailto:*) continue ;; esac
        links=$((links + 1))
        file=${link%%#*}
        target=$page
        [ -z "$file" ] || target=$(dirname "$page")/$file
        if [ ! -e "$target" ]; then
            fail "$page: no file $link"
        elif [ "$link" != "$file" ] && ! anchors "$target" | grep -qxF "${link#*#}"; then
            fail "$page: no heading $link"
        fi
    done
    [ "$page" = README.md ] || head -5 "$page" | grep -q '^This page ' || fail "$page: its first lines do not name its readers: \"This page is for ...\""
done
[ "$(wc -l <README.md)" -le 150 ] || fail "README.md has more than 150 lines"
[ $links -gt 100 ] || fail "only $links links were found"

# A block of ```console: one command after "$ ", then its output.
played=0
for page in $pages; do
    grep -q '^```console' "$page" || continue
    sed -n '/^```console/,/^```$/p' "$page" | sed '/^```/d' >"$work/block"
    command=$(sed -n '1s/^\$ sakkara //p' "$work/block")
    sed 1d "$work/block" >"$work/expected"
    [ -n "$command" ] || fail "$page: no command"
    # shellcheck disable=SC2086 # words of a command
    timeout 60 "$program" $command >"$work/got" 2>&1 || fail "$page: exit code $? of $command"
    diff "$work/expected" "$work/got" || fail "$page: not what the program prints"
    played=$((played + 1))
done
[ $played -ge 9 ] || fail "only $played commands were played"

# The first block of ```yaml of a workload's page is the file beside it, without a finding.
for file in docs/workloads/*.yaml; do
    "$program" lint "$file" || fail "$file: findings"
    page=${file%.yaml}.md
    [ "$page" != docs/workloads/cluster.md ] || continue
    sed -n '/^```yaml/,/^```$/p' "$page" | sed '/^```/d' | diff - "$file" || fail "$page: not what is in $file"
done

sed -n '/^```yaml/,/^```$/p' README.md | sed '/^```/d' | head -"$(wc -l <docs/workloads/job.yaml)" |
    diff - docs/workloads/job.yaml || fail "README.md: its first gang is not docs/workloads/job.yaml"

# | rN | `text of the answer` | why |
answers=0
for file in docs/roles/*.json; do
    name=$(basename "$file" .json)
    expected=$(sed -n "s/^| $name | \`\(.*\)\` | .*/\1/p" docs/roles.md)
    [ -n "$expected" ] || fail "$file: docs/roles.md does not have its answer"
    "$program" solve "$file" | grep -qF "$expected" || fail "$file: the answer is not $expected"
    answers=$((answers + 1))
done
[ $answers -ge 7 ] || fail "only $answers answers"
exit $bad
