#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The worked examples of bindings, byte for byte: test/bindings/NAME.yaml gives NAME.json and NAME.txt (output, messages,
# exit code); one that begins with "# clusters of OTHER.yaml" has the Clusters of that file, one that begins with
# "# options: ..." these options. Then what a user may get wrong.
# `test_bindings.sh write` writes the results anew.
set -eu
sakkara=${SAKKARA:-build/sakkara}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
checks=0
failed=0

fail() {
    echo "test_bindings.sh: $*" >&2
    failed=$((failed + 1))
}

run() { # run FILE ARGUMENT...: output, messages, exit code
    input=$1
    shift
    code=0
    other=$([ ! -f "$input" ] || sed -n '1s/^# clusters of //p' "$input")
    if [ -n "$other" ]; then
        sed '/^kind: ResourceBinding/,/^---/d; /^apiVersion: work/d' "test/bindings/$other" >"$work/clusters.yaml"
        set -- -f "$work/clusters.yaml" "$@"
    fi
    # shellcheck disable=SC2046 # words
    [ ! -f "$input" ] || set -- $(sed -n '1s/^# options: //p' "$input") "$@"
    "$sakkara" simulate binding -f "$input" "$@" >"$work/out" 2>"$work/err" || code=$?
    cat "$work/out" "$work/err"
    echo "exit $code"
}

for file in test/bindings/*.yaml; do
    name=${file%.yaml}
    run "$file" -o json >"$work/json"
    run "$file" >"$work/txt"
    for kind in json txt; do
        checks=$((checks + 1))
        if [ "${1:-}" = write ]; then
            cp "$work/$kind" "$name.$kind"
        fi
        cmp -s "$work/$kind" "$name.$kind" || fail "$file: $kind differs: $(diff "$name.$kind" "$work/$kind" | head -5)"
    done
done

expect() { # expect CODE TEXT: what the last run left in $work/all
    checks=$((checks + 2))
    grep -q "^exit $1\$" "$work/all" || fail "$2: $(tail -1 "$work/all")"
    grep -qF -- "$2" "$work/all" || fail "lacks '$2': $(cat "$work/all")"
}

# What would make it fit: each line is true, and the number beside it is not.
file=test/bindings/zones-impossible.yaml
sed 's/replicas: 19/replicas: 16/' "$file" >"$work/16.yaml"
run "$work/16.yaml" >"$work/all"
expect 4 "    with replicas 14"
expect 4 "    with maxGroups 3 of cluster"
sed 's/replicas: 19/replicas: 14/' "$file" >"$work/14.yaml"
run "$work/14.yaml" >"$work/all"
expect 0 "2 of 5 clusters selected"
sed 's/replicas: 19/replicas: 15/' "$file" >"$work/15.yaml"
run "$work/15.yaml" >"$work/all"
expect 4 "best 14"
sed 's/minGroups: 2/minGroups: 5/; s/maxGroups: 2/maxGroups: 9/; s/replicas: 19/replicas: 4/' "$file" >"$work/5.yaml"
run "$work/5.yaml" >"$work/all"
expect 4 "too_few"
expect 4 "    with minGroups 3 of zone"

sed -n '/kind: ResourceBinding/,$p' "$file" | sed '1i apiVersion: work.karmada.io/v1alpha2' >"$work/alone.yaml"
run "$work/alone.yaml" >"$work/all"
expect 4 "no_cluster_fit: 0 of 0 clusters pass the filters"
if grep -q "Would fit\\|No single change" "$work/all"; then fail "a way out where nothing can be changed: $(cat "$work/all")"; fi

file=test/bindings/zones.yaml
run "$file" --binding default/nothing >"$work/all"
expect 3 "no binding default/nothing"
run "$file" --option nothing=1 >"$work/all"
expect 2 'unknown option "nothing"'
run "$file" --option omittedMax=9 >"$work/all"
expect 2 "option omittedMax: must be unbounded, 0 or min"
run "$file" --option omittedMax >"$work/all"
expect 2 "must be name=value"
run "$file" --profile nothing >"$work/all"
expect 2 "nothing"
run "$work/missing.yaml" >"$work/all"
expect 1 "missing.yaml"
sed 's/replicas: 10/replicas: many/' "$file" >"$work/bad.yaml"
run "$work/bad.yaml" >"$work/all"
expect 1 "spec.replicas: must be an integer, got a string"
sed 's/replicas: 10/replicas: -1/' "$file" >"$work/bad.yaml"
run "$work/bad.yaml" >"$work/all"
expect 1 "spec.replicas: must be 0 or more"
cat "$file" >"$work/twice.yaml"
echo "---" >>"$work/twice.yaml"
cat "$file" >>"$work/twice.yaml"
run "$work/twice.yaml" >"$work/all"
expect 1 'Cluster "a" is there twice'
for kind in ResourceBinding ClusterResourceBinding; do
    printf -- '---\napiVersion: work.karmada.io/v1alpha2\nkind: %s\nmetadata: {name: web}\nspec: {replicas: 1}\n' $kind
done >"$work/kinds.yaml"
run "$work/kinds.yaml" >"$work/all"
expect 1 'binding "/web" is there twice'

# The same code, for one binding of a dump; and where bindings run.
checks=$((checks + 4))
code=0
"$sakkara" explain binding/web --file "$file" -o json >"$work/one" 2>/dev/null || code=$?
head -1 test/bindings/zones.json | cmp -s - "$work/one" && [ $code = 0 ] || fail "explain differs from simulate"
"$sakkara" explain binding/nothing --file "$file" >"$work/one" 2>&1 && fail "a binding that is not there is explained"
"$sakkara" tree --bindings --file test/bindings/dynamic-growth.yaml --ascii >"$work/tree"
printf 'default/web             6\n|-a                     3\n\\-b                     3\n' | cmp -s - "$work/tree" ||
    fail "tree --bindings: $(cat "$work/tree")"
checks=$((checks + 6))
for words in 'rack-0' '-o json' '--slot cpu=1' '--resource cpu' '--placements'; do
    code=0
    # shellcheck disable=SC2086 # words of a command
    "$sakkara" tree --bindings $words --file "$file" >"$work/tree" 2>&1 || code=$?
    { [ $code = 2 ] && grep -q 'does not go with' "$work/tree"; } || fail "tree --bindings $words: $(cat "$work/tree")"
done
"$sakkara" tree --bindings --file "$file" -n nobody 2>&1 | grep -qx 'No bindings found in namespace nobody.' ||
    fail "tree --bindings of a namespace without any"
"$sakkara" demo binding >"$work/demo"
grep -q 'no_feasible_combination: zone 2..2, cluster 2..2 needs room 19, best 14' "$work/demo" || fail "demo binding"
echo "$((checks - failed)) passed, $failed failed"
[ $failed = 0 ]
