#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tour.sh PROGRAM: what the sandbox tells a newcomer to type, typed, and the same from the README, each
# in a sandbox of its own; both gangs run in the end. kubectl is the one in PATH, or the built one.
# tour.sh --needs: nothing, or what is missing and status 1.
set -eu
export LC_ALL=C.UTF-8
here=$(cd "$(dirname "$0")" && pwd)
root=${here%/test}
work=$(mktemp -d)
sandbox=
clean() {
    [ -z "$sandbox" ] || kill "$sandbox" 2>/dev/null || true
    rm -rf "$work"
}
trap clean EXIT

# A folder with a kubectl goes in front of PATH when there is none.
if ! command -v kubectl >/dev/null 2>&1; then
    built=$("$here/e2e/build-controlplane.sh" -n 1.36.3)
    if [ -z "$built" ]; then
        echo "no kubectl"
        exit 1
    fi
    mkdir "$work/bin"
    printf '#!/bin/sh\nexec "%s" kubectl "$@"\n' "$built" >"$work/bin/kubectl"
    chmod +x "$work/bin/kubectl"
    PATH=$work/bin:$PATH
fi
[ "$1" != --needs ] || exit 0
program=$(realpath "$1")

fail() {
    echo "tour: $1"
    cat "$work/out" "$work/err" "$work/typed" 2>/dev/null || true
    exit 1
}

# until_true WHAT COMMAND...: tries for 30 s
until_true() {
    what=$1
    shift
    tries=300
    while ! "$@"; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || fail "not so within 30 s: $what"
        sleep 0.1
    done
}

is_announced() { grep -q '^Ctrl-C' "$work/out"; }
is_bound() { [ "$(kubectl get configmap "$1" -o 'jsonpath={.data.status}' 2>/dev/null)" = Bound ]; }
is_refused() { [ "$(kubectl get configmap group-b -o 'jsonpath={.data.reason}')" = TopologyPlacementFailed ]; }

begin() {
    mkdir -p "$work/home"
    cd "$work/home"
    "$program" sandbox >"$work/out" 2>"$work/err" &
    sandbox=$!
    until_true "the sandbox says what to type" is_announced
}

# Types the lines of a file one after the other; what changes something is waited for.
type_lines() {
    : >"$work/typed"
    while IFS= read -r line; do
        echo "\$ $line" >>"$work/typed"
        case $line in
        *' -w') continue ;; # goes on for ever
        export\ *) eval "$line" && continue ;;
        esac
        code=0
        eval "$line" >>"$work/typed" 2>&1 || code=$?
        case $line in
        *explain*) [ $code = 4 ] || fail "exit code $code: $line" ;;
        *) [ $code = 0 ] || fail "exit code $code: $line" ;;
        esac
        case $line in
        *gang.yaml*) until_true "group-a is bound" is_bound group-a ;;
        *second.yaml*) until_true "group-b says why it waits" is_refused ;;
        esac
    done <"$1"
    until_true "group-b is bound" is_bound group-b
    grep -q 'needs 14 slots in one rack, best rack has 13' "$work/typed" || fail "no reason was shown"
    grep -q 'rack-1' "$work/typed" || fail "no tree was shown"
    rm -f dump.json # the README asks a copy
}

end() {
    kill "$sandbox"
    code=0
    wait "$sandbox" || code=$?
    sandbox=
    [ $code = 0 ] || fail "the sandbox ended with code $code"
    [ ! -s "$work/err" ] || fail "the sandbox complained"
    [ -z "$(ls "$work/home")" ] || fail "the sandbox left something behind"
}

begin
sed -n '/^In another terminal:/,/^Ctrl-C/s/^  \([^#].*\)/\1/p' "$work/out" >"$work/lines"
[ "$(wc -l <"$work/lines")" -ge 9 ] || fail "hardly anything to type"
type_lines "$work/lines"
end

# The block of the README that begins with the kubeconfig.
begin
sed -n '/^export KUBECONFIG=\$PWD\/sakkara-sandbox.kubeconfig/,/^```/p' "$root/README.md" | sed '/^```/d' |
    sed "s/  *#.*//; s#^build/sakkara#$program#" >"$work/lines"
[ "$(wc -l <"$work/lines")" -ge 7 ] || fail "the README shows hardly anything to type"
type_lines "$work/lines"
end
