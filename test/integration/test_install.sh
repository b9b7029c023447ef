#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What `make install` leaves behind: man pages that formatters take without a word, completion as each
# shell does it (those that are here), kubectl's way to it.
. "$(dirname "$0")/checks.sh"

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

# ---- what builds the image ----

mkdir "$work/tools"
for tool in sh timeout tail env; do ln -s "$(command -v $tool)" "$work/tools/$tool"; done
tool() { # tool NAME SCRIPT: a stub; without a script none
    rm -f "$work/tools/$1"
    [ $# = 1 ] || { printf '#!/bin/sh\n%s\n' "$2" >"$work/tools/$1" && chmod +x "$work/tools/$1"; }
}
builder() { # what the choice says, and its status
    env "PATH=$work/tools" .ci/image-tool.sh 2>&1
    echo "status $?"
}
no_daemon='case $1 in
version) echo "Client: 1"; echo "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?" >&2; exit 1 ;;
esac
echo "$0 $*"'
equal "no tool for images" "make image: needs docker, podman or buildah: none is in PATH
status 1" "$(builder)"
tool docker "$no_daemon"
equal "docker without its daemon" "make image: docker does not answer: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?
make image: start what it needs (docker: its daemon, and be in its group), or install podman or buildah, which need no daemon
status 1" "$(builder)"
tool buildah 'echo buildah version 1'
equal "buildah instead of docker" "make image: docker does not answer: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?
make image: building with buildah
buildah
status 0" "$(builder)"
tool docker 'echo "$0 $*" >&2'
equal "docker with its daemon" "docker
status 0" "$(builder)"
make_image() { env "PATH=$work/tools:/usr/local/bin:/usr/bin:/bin" make --no-print-directory -s "$@" 2>&1; }
tool docker "$no_daemon"
tool podman 'echo "built by podman $*"'
export MAKEFLAGS=
equal "make image, docker without its daemon" "built by podman build" \
    "$(make_image image IMAGE=x/y:z | sed -n 's/^\(built by podman build\) .* -t x\/y:z \.$/\1/p')"
tool podman 'exit 1'
tool buildah 'exit 1'
make_image image >"$work/log" && status=0 || status=$?
equal "make image, no tool that answers" "2" "$status"
equal "make image says what to do" "1" "$(grep -c 'or install podman or buildah' "$work/log")"
equal "make image with a tool of one's own" "1" "$(make_image image IMAGE_TOOL="echo mine" | grep -c '^mine build ')"

# ---- and away again ----

MAKEFLAGS= make --no-print-directory -s VARIANT="$variant" uninstall DESTDIR="$work/root" PREFIX=/usr >"$work/log" 2>&1
equal "make uninstall leaves" "" "$(cat "$work/log")$(find "$work/root" ! -type d)"

checks_end
