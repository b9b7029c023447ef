#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# sakkara lint from outside: exit codes, what goes to which stream, a ConfigMap through kubectl (played by a
# script) and from a dump. What is found in which file: test/unit/server/lint/test_lint.c.
. "$(dirname "$0")/checks.sh"

# has STREAM TEXT, is_empty STREAM
has() {
    if grep -qF -- "$2" "$work/$1"; then pass; else fail "no \"$2\" in $1: $(cat "$work/$1")"; fi
}
is_empty() {
    if [ ! -s "$work/$1" ]; then pass; else fail "$1 is not empty: $(cat "$work/$1")"; fi
}

runs "good files" 0 "$sakkara" lint configs manifests
is_empty out
is_empty err
runs "errors" 5 "$sakkara" lint test/lint/duplicate-node.yaml
has out 'test/lint/duplicate-node.yaml:14:9: error: node "node-3" twice (see 10:9) [DuplicateNode]'
has out '1 file, 1 error, 0 warnings'
is_empty err
runs "warnings alone" 5 "$sakkara" lint test/lint/uneven.yaml
runs "a folder, files against one another" 5 "$sakkara" lint test/lint/several
has out '3 files, 1 error, 2 warnings'
runs "a file that is not there" 3 "$sakkara" lint "$work/none.yaml" test/lint/uneven.yaml
has err 'none.yaml: No such file or directory'
has out '[UnevenDepth]'
runs "no file" 2 "$sakkara" lint
runs "unknown form" 2 "$sakkara" lint -o yaml configs
runs "a flag of maps with files" 2 "$sakkara" lint -n default configs
runs "two maps" 2 "$sakkara" lint cm/a cm/b
runs "standard input" 5 bash -c "'$sakkara' lint - <test/lint/uneven.yaml"
has out 'stdin:7:6: warning'
runs "sarif" 5 "$sakkara" lint -o sarif test/lint/uneven.yaml
has out '"version": "2.1.0"'
runs "sarif of good files" 0 "$sakkara" lint -o sarif configs
has out '"results": []'
runs "json of good files" 0 "$sakkara" lint -o json configs
has out '"findings": []'

# ---- one map ----

cat >"$work/dump.yaml" <<'END'
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: t, labels: {sakkara.topology: ""}}, data: {tree: '{"n":{}}'}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: x, labels: {sakkara.group: ""}}, data: {size: "0"}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: b, namespace: x, labels: {sakkara.group: ""}}, data: {name: b}}
END
runs "a map of a dump" 5 "$sakkara" lint cm/a --file "$work/dump.yaml"
has out "dump.yaml:5:115: error: size: must be at least 1, got \"0\" [InvalidNumber]"
runs "a good map of a dump" 0 "$sakkara" lint cm/b --file "$work/dump.yaml"
is_empty out
runs "a map of another namespace" 3 "$sakkara" lint cm/b -n y --file "$work/dump.yaml"
runs "no such map" 3 "$sakkara" lint cm/c --file "$work/dump.yaml"
has err 'no ConfigMap "c"'

mkdir "$work/bin"
cat >"$work/bin/kubectl" <<'END'
#!/bin/sh
echo "$*" >>"${0%/*}/asked"
case "$*" in
*" --all-namespaces --selector=sakkara.topology") echo '{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":
"ConfigMap","metadata":{"name":"t","labels":{"sakkara.topology":""}},"data":{"tree":"{\"rack-0\":{\"n\":{}}}"}}]}' ;;
*" level") echo '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"level","labels":{"sakkara.group":""}},
"data":{"constraints":"{\"rak\":{}}"}}' ;;
*" bad") echo '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"bad","labels":{"sakkara.group":""}},
"data":{"size":"x"}}' ;;
*" away") echo 'Unable to connect to the server: dial tcp: refused' >&2; exit 1 ;;
*) echo "Error from server (NotFound): configmaps \"none\" not found" >&2; exit 1 ;;
esac
END
chmod +x "$work/bin/kubectl"
PATH=$work/bin:$PATH
runs "a map of the cluster" 5 "$sakkara" lint cm/bad -n team --context c
has out 'cm/bad:2:17: error: size: must be a decimal integer, got "x" [InvalidNumber]'
cp "$work/bin/asked" "$work/out"
has out '--context c --namespace team get --output=json configmap -- bad'
runs "a map against the topology of the cluster" 5 "$sakkara" lint cm/level
has out 'cm/level:2:25: warning: constraints: no level "rak" (did you mean "rack"?); the tree has rack, node'
has out '1 file, 0 errors, 1 warning'
runs "a map that the cluster lacks" 3 "$sakkara" lint cm/none
has err 'configmaps "none" not found'
runs "no cluster" 6 "$sakkara" lint cm/away
has err 'Unable to connect'
is_empty out

checks_end
