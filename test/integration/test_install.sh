#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What `make install` leaves behind: man pages that formatters take without a word, completion as each
# shell does it (those that are here), kubectl's way to it.
set -u
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../.." || exit 1
sakkara=$(realpath "${SAKKARA:-build/sakkara}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

pass() { passed=$((passed + 1)); }
fail() {
    failed=$((failed + 1))
    echo "$1"
}
# equal NAME EXPECTED GOT
equal() {
    if [ "$2" = "$3" ]; then pass; else fail "$1: expected \"$2\", got \"$3\""; fi
}

# The program is there already; whatever compiler made it, nothing is to be compiled here.
variant=$(realpath --relative-to=build "$(dirname "$sakkara")")
case $variant in . | ..*) variant= ;; esac
if make --no-print-directory -s VARIANT="$variant" install DESTDIR="$work/root" PREFIX=/usr \
    >"$work/log" 2>&1; then
    pass
else
    fail "make install: $(cat "$work/log")"
fi
bin=$work/root/usr/bin
share=$work/root/usr/share
export PATH="$bin:$PATH"

for file in bin/sakkara bin/kubectl-sakkara bin/kubectl_complete-sakkara share/man/man8/sakkara.8 \
    share/man/man1/kubectl-sakkara.1 share/man/man5/sakkara-topology.5 share/man/man5/sakkara-group.5 \
    share/bash-completion/completions/sakkara share/zsh/site-functions/_sakkara \
    share/fish/vendor_completions.d/sakkara.fish share/sakkara/configs/sakkara.yaml; do
    if [ -s "$work/root/usr/$file" ]; then pass; else fail "$file is not installed"; fi
done

# ---- man pages ----

for page in "$share"/man/man?/*; do
    name=${page##*/}
    if command -v groff >/dev/null; then
        equal "groff $name" "" "$(groff -man -ww -z "$page" 2>&1)"
    fi
    if command -v mandoc >/dev/null; then
        equal "mandoc $name" "" "$(mandoc -T lint -W warning "$page" 2>&1)"
    fi
    if grep -q '^\.TH [^ ]* [158] "[0-9-]\{10\}" "sakkara ' "$page"; then pass; else
        fail "$name: no date or version: $(grep '^\.TH' "$page")"
    fi
done
# The keys of the two maps, as docs/reference.md has them.
for key in name resource-names level-names tree TopologyInvalid DuplicateTopology UnevenDepth UnknownNode NodesNotInTree; do
    if tr -d '\\' <"$share/man/man5/sakkara-topology.5" | grep -qw -- "$key"; then pass; else
        fail "sakkara-topology(5) lacks $key"
    fi
done
for key in name size priority constraints type hard partitions min max factor status reason message \
    placement rank conditions schedBeginTime schedEndTime schedTotalTimeMilli schedSolverTimeMilli; do
    if tr -d '\\' <"$share/man/man5/sakkara-group.5" | grep -qw -- "$key"; then pass; else
        fail "sakkara-group(5) lacks $key"
    fi
done
# Their examples are maps that lint finds nothing in.
for page in topology group; do
    sed -n '/^\.SH EXAMPLE/,/^\.fi/p' "$share/man/man5/sakkara-$page.5" | grep -v '^\.' | tr -d '\\' >"$work/$page.yaml"
    equal "the example of sakkara-$page(5)" "" "$("$sakkara" lint "$work/$page.yaml" 2>&1 || echo "exit code $?")"
done

# ---- completion ----

equal "kubectl" "$("$sakkara" __complete get "")" "$("$bin/kubectl_complete-sakkara" get "")"

# The real kubectl, of those that make e2e has built or of this machine; before 1.26 it asks no plugin.
mkdir "$work/kubectl"
for built in "${XDG_CACHE_HOME:-$HOME/.cache}"/sakkara/controlplane/*/controlplane "$(command -v kubectl)"; do
    [ -x "$built" ] || continue
    ln -sf "$built" "$work/kubectl/kubectl"
    minor=$("$work/kubectl/kubectl" version --client -o json 2>/dev/null | sed -nE 's/.*"minor": *"([0-9]+).*/\1/p' | head -n 1)
    [ "${minor:-0}" -ge 26 ] || continue
    equal "completion by $built" "$("$sakkara" __complete get -o j)" \
        "$(PATH="$work/kubectl:$PATH" timeout 60 kubectl __complete sakkara get -o j 2>/dev/null)"
done

# In bash as the shell calls it: completes LINE
completes_bash() {
    bash --norc --noprofile -c '
        source "$1/bash-completion/completions/sakkara"
        COMP_LINE=$2 COMP_POINT=${#2}
        read -r -a COMP_WORDS <<<"${2//=/ = }"
        [[ $2 != *" " ]] || COMP_WORDS+=("")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _sakkara
        printf "%s\n" "${COMPREPLY[@]}" | sort | tr "\n" " "' _ "$share" "$1"
}
mkdir "$work/folder"
touch "$work/folder/file.yaml"
equal "bash, a command" "solve " "$(completes_bash "sakkara sol")"
equal "bash, a flag" "--log-format " "$(completes_bash "sakkara serve --log")"
equal "bash, a value" "json " "$(completes_bash "sakkara serve --log-format j")"
equal "bash, a value behind =" "json " "$(completes_bash "sakkara serve --log-format=j")"
equal "bash, every value" "json text " "$(completes_bash "sakkara serve --log-format ")"
equal "bash, a file" "$work/folder/file.yaml " "$(completes_bash "sakkara serve --config $work/folder/fi")"
equal "bash, as a plugin" "solve " "$(completes_bash "kubectl-sakkara sol")"

if command -v zsh >/dev/null; then
    equal "zsh, syntax" "" "$(zsh -n "$share/zsh/site-functions/_sakkara" 2>&1)"
    # What the function hands to _describe.
    got=$(zsh -f -c '
        _describe() { print -l -- ${(P)2}; }
        _files() { print files; }
        compdef() { }
        source "$1/zsh/site-functions/_sakkara"
        words=(sakkara serve --log-format "") CURRENT=4; _sakkara
        words=(sakkara solve "") CURRENT=3; _sakkara
        words=(sakkara help conf) CURRENT=3; _sakkara' _ "$share" 2>&1 | tr '\n' '|')
    equal "zsh" "text|json|files|config:options of the configuration file|" "$got"
fi
if command -v fish >/dev/null; then
    got=$(HOME=$work fish --no-config -c "source $share/fish/vendor_completions.d/sakkara.fish
        complete -C 'sakkara serve --log-format '
        complete -C 'sakkara sol'" 2>&1 | tr '\n\t' '| ')
    equal "fish" "json|text|solve place one group written down in a file|" "$got"
fi

# ---- and away again ----

MAKEFLAGS= make --no-print-directory -s VARIANT="$variant" uninstall DESTDIR="$work/root" PREFIX=/usr >"$work/log" 2>&1
equal "make uninstall leaves" "" "$(cat "$work/log")$(find "$work/root" ! -type d)"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
