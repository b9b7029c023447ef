#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The commands for people, from outside: golden outputs of test/views/cases (UPDATE=1 writes them anew),
# the form of every table, and kubectl as the way to the daemon, played by a script.
. "$(dirname "$0")/checks.sh"
export TZ=UTC
unset NO_COLOR
views=test/views

# same NAME EXPECTED-FILE GOT-FILE
same() {
    if diff -u "$2" "$3" >"$work/diff"; then pass; else
        fail "$1 differs:"
        cat "$work/diff"
    fi
}
# one_line NAME TEXT: the error is one line and holds the text
one_line() {
    if [ "$(wc -l <"$work/err")" = 1 ] && grep -qF -- "$2" "$work/err"; then pass; else
        fail "$1: not one line with \"$2\" but: $(cat "$work/err")"
    fi
}
# well_formed NAME FILE: no trailing blanks; with a third argument also the same number of words a line
well_formed() {
    if grep -nE '[[:blank:]]$' "$2"; then fail "$1: trailing blanks"; else pass; fi
    [ $# = 2 ] && return
    if [ "$(awk '{print NF}' "$2" | sort -u | wc -l)" = 1 ]; then pass; else fail "$1: lines differ in words"; fi
}

# ---- golden outputs ----

while read -r name arguments; do
    case $name in '' | '#'*) continue ;; esac
    read -ra words <<<"${arguments//DIR/$views}"
    runs "$name" 0 "$sakkara" "${words[@]}"
    [ -z "${UPDATE:-}" ] || cp "$work/out" "$views/$name"
    same "$name" "$views/$name" "$work/out"
    case $name in
    groups-name.txt | *.json | *.yaml.txt | group.txt | group-* | tree*) well_formed "$name" "$work/out" ;;
    groups*) well_formed "$name" "$work/out" words ;;
    esac
done <"$views/cases"

# A group that is not placed ends the command with 4.
for format in text json; do
    name=explain-roles.${format/text/txt}
    runs "$name" 4 "$sakkara" explain wide --file $views/roles.yaml -o "$format"
    [ -z "${UPDATE:-}" ] || cp "$work/out" "$views/$name"
    same "$name" "$views/$name" "$work/out"
done

# So does one whose members no kube-scheduler has tried: their devices are counted all the same.
runs explain-devices.txt 4 "$sakkara" explain g --file $views/devices.yaml
[ -z "${UPDATE:-}" ] || cp "$work/out" "$views/explain-devices.txt"
same explain-devices.txt "$views/explain-devices.txt" "$work/out"

# The ASCII tree has the same rows, and nothing else than ASCII.
if LC_ALL=C grep -nP '[^\x00-\x7f]' $views/*-ascii.txt; then fail "ASCII is not ASCII"; else pass; fi

# Nodes without the rack label are named beside the tree.
runs "nodes without a label" 0 "$sakkara" tree --file "$views/tree-labels.yaml"
one_line "nodes without a label" "2 nodes are left out: no label sakkara.topology.rack (level rack), first node-2"
runs "nodes without a label, JSON" 0 "$sakkara" tree --file "$views/tree-labels.yaml" -o json
if grep -qF '"missingLabel": "sakkara.topology.rack"' "$work/out"; then pass; else fail "missingLabel is not there"; fi

# Before a preset is switched on, the nodes that it leaves out are counted.
runs "a preset" 0 "$sakkara" tree --file "$views/clouds.yaml" --preset eks
one_line "a preset" "1 node is left out: no label topology.kubernetes.io/zone (level zone), first on-premises"
runs "a preset with excluded nodes" 3 "$sakkara" tree --file "$views/clouds.yaml" --preset gke
runs "an unknown preset" 2 "$sakkara" tree --file "$views/clouds.yaml" --preset ekz
one_line "an unknown preset" 'sakkara tree: --preset: "ekz" is no preset; there are zones, eks, gke'
runs "a preset of a daemon" 2 "$sakkara" tree --preset eks
runs "missing alone" 2 "$sakkara" tree --file "$views/clouds.yaml" --missing pad

# The explanation of the README is what the command prints.
runs "README" 4 "$sakkara" explain a-3 --file docs/stuck-group.yaml
awk '/^```text$/ {p = 1; next} p && /^```$/ {exit} p' README.md >"$work/expected"
same "README" "$work/expected" "$work/out"

# Who would be evicted, of a dump: the daemon's own search, with nobody to carry it out.
runs "explain --preempt" 4 "$sakkara" explain a-3 --preempt --file docs/stuck-group.yaml
[ -z "${UPDATE:-}" ] || cp "$work/out" "$views/explain-preempt.txt"
same "explain --preempt" "$views/explain-preempt.txt" "$work/out"
runs "explain --preempt as JSON" 4 "$sakkara" explain a-3 --preempt --file docs/stuck-group.yaml -o json
grep -q '"outcome": *"Evicts"' "$work/out" && pass || fail "explain --preempt as JSON: $(cat "$work/out")"

# ---- words that are not understood, names that are near ----

runs "a typo that is ignored is told beside the table" 0 "$sakkara" get groups --file "$views/typos.yaml"
grep -q '^Warning: group soft: constraints: 1:9: no level "rak" (did you mean "rack"?)' "$work/err" && pass || fail "$(cat "$work/err")"
runs "unknown group" 3 "$sakkara" group a-9 --file $views/groups.yaml
grep -qx 'did you mean a-0?' "$work/err" && pass || fail "no suggestion: $(cat "$work/err")"
names="$views/names.yaml"
for name in lws/serve/0 leaderworkerset/serve/0 replicaset/web-9pv45r4474 rs/web-9pv45r4474 pod/pi-exec-1; do
    runs "explain $name" 4 "$sakkara" explain $name --file "$names"
done
while read -r name near; do
    runs "explain $name" 3 "$sakkara" explain $name --file "$names"
    grep -qx "did you mean $near?" "$work/err" && pass || fail "no suggestion for $name: $(cat "$work/err")"
done <<END
lws/serve lws/serve/0
leaderworkerset/serve lws/serve/0
web replicaset.apps/web-9pv45r4474
spark/pi spark/spark-1a
deployment/web replicaset.apps/web-9pv45r4474
cronjob/nightly job/nightly-28390
SparkApplication/pi spark/spark-1a
sparkapplication/pi spark/spark-1a
END
runs "a size of the operator" 4 "$sakkara" explain lws/serve/0 --file "$names"
grep -qF 'leaderworkerset.sigs.k8s.io/size)' "$work/out" && pass || fail "$(cat "$work/out")"
runs "a pod of no group" 3 "$sakkara" explain pod/alone --file "$names"
grep -q 'no group has a pod alone in namespace default$' "$work/err" && pass || fail "$(cat "$work/err")"
runs "a workload of no group" 3 "$sakkara" explain job/none --file "$names"
grep -q '^pods of a workload are a group if' "$work/err" && pass || fail "$(cat "$work/err")"
runs "workloads of groups" 0 "$sakkara" get groups -o wide --file "$names"
grep -q ' SparkApplication/pi ' "$work/out" && pass || fail "$(cat "$work/out")"
runs "group of another namespace" 3 "$sakkara" group large --file $views/odd.yaml
grep -qx 'there is one in namespace team-b: -n team-b' "$work/err" && pass || fail "$(cat "$work/err")"
runs "unknown domain" 3 "$sakkara" tree rock-1 --file $views/tree.yaml
grep -qx 'did you mean rack-1?' "$work/err" && pass || fail "no suggestion: $(cat "$work/err")"
runs "unknown resource" 3 "$sakkara" tree --resource gup --file $views/tree.yaml
grep -qx 'did you mean gpu?' "$work/err" && pass || fail "no suggestion: $(cat "$work/err")"
runs "two racks of that name" 1 "$sakkara" tree r0 --file $views/odd.yaml
one_line "two racks of that name" 'domain "r0" may be zone a/r0 or zone b/r0'
runs "the path tells them apart" 0 "$sakkara" tree 'zone b/r0' --file $views/odd.yaml
runs "a size that is none" 1 "$sakkara" tree --slot gpu=many --file $views/tree.yaml
runs "a selector that is none" 1 "$sakkara" get groups -l 'a in' --file $views/groups.yaml
runs "an unknown kind" 2 "$sakkara" get gruops --file $views/groups.yaml
runs "two sources" 2 "$sakkara" tree --file $views/tree.yaml --server http://127.0.0.1:1
runs "a dump does not change" 2 "$sakkara" get groups -w --file $views/groups.yaml
runs "no groups" 0 "$sakkara" get groups --file $views/odd.yaml
one_line "no groups" 'No groups found in namespace default.'
runs "no such dump" 3 "$sakkara" tree --file $work/nothing.json
printf '{"kind": "List", "apiVersion": "v1", "items": [{"kind": "Node", "apiVersion": "v1"}]}' >"$work/bad.json"
runs "a bad dump" 1 "$sakkara" tree --file $work/bad.json
runs "nobody listens" 6 "$sakkara" tree --server http://127.0.0.1:1
one_line "nobody listens" 'cannot be reached'

# ---- through kubectl ----

mkdir "$work/bin"
cp $views/groups.json "$work/list"
cp $views/group.json "$work/group"
"$sakkara" tree --file $views/tree.yaml -o json >"$work/tree"
cat >"$work/bin/kubectl" <<'STUB'
#!/bin/sh
printf '%s\n' "$*" >>"$STUB/calls"
base=/api/v1/namespaces/sakkara/services/http:sakkara:9662/proxy/v1
case "$*" in
*"config view"*) printf team-x; exit 0 ;;
*"get --raw $base/tree"*) cat "$STUB/tree" ;;
*resourcebindings*) exec cat docs/bindings.yaml ;;
*managedclusters*)
    [ -f "$STUB/hub" ] && exec cat "$STUB/hub"
    printf 'E1123 memcache.go:265] "Unhandled Error" err="no list"\nThe connection to the server was refused\n' >&2
    exit 1
    ;;
*"get --raw $base/spotmix")
    echo "Error from server (NotFound): sakkara: the daemon's module spotmix is off; spotmix.enabled: true in its configuration switches it on" >&2
    exit 1
    ;;
*"get --raw $base/modules") [ -f "$STUB/modules" ] && exec cat "$STUB/modules"; echo 'Error from server (NotFound): sakkara: no such path' >&2; exit 1 ;;
*"get --raw $base/spotmix/nodes"*)
    [ -f "$STUB/classes" ] && exec cat "$STUB/classes"
    echo 'Error from server (NotFound): sakkara: no such path' >&2
    exit 1
    ;;
*"get --raw $base/groups?"*) cat "$STUB/list" ;;
*"get --raw $base/explain/"*/a-3) cat "$STUB/explain" ;;
*"get --raw $base/groups/"*/a-0) cat "$STUB/group" ;;
*"get --raw $base/groups/"*)
    echo 'Error from server (NotFound): sakkara: no group "a-9" in namespace "team-x"' >&2
    exit 1
    ;;
*) echo 'Error from server (NotFound): services "other" not found' >&2; exit 1 ;;
esac
STUB
chmod +x "$work/bin/kubectl"
export STUB=$work
with_stub=(env "PATH=$work/bin:/usr/bin:/bin")

# Whatever kubectl's answers are made of, the text is that of the dump.
runs "tree through kubectl" 0 "${with_stub[@]}" "$sakkara" tree
same "tree through kubectl" $views/tree.txt "$work/out"
# With a spot mix the classes of nodes come from its own page; why they do not is said beside the tree.
echo '{"nodes": [{"name": "node-1", "class": "spot", "pods": 3}, {"name": 7}, "node-2"]}' >"$work/classes"
runs "classes through kubectl" 0 "${with_stub[@]}" "$sakkara" tree
if grep -q '^NAME .* CLASS  *GROUPS$' "$work/out" && grep -q 'node-1 .* spot:3  *' "$work/out"; then pass; else
    fail "classes through kubectl: $(cat "$work/out")"
fi
echo >"$work/classes"
runs "no classes through kubectl" 0 "${with_stub[@]}" "$sakkara" tree
same "no classes through kubectl" $views/tree.txt "$work/out"
one_line "no classes through kubectl" 'classes of nodes are not known'
rm "$work/classes"
runs "no server" 6 "${with_stub[@]}" "$sakkara" tree --placements
one_line "no server" 'kubectl: The connection to the server was refused'
runs "no spot mix" 3 "${with_stub[@]}" "$sakkara" spotmix
one_line "no spot mix" "the daemon's module spotmix is off; spotmix.enabled: true in its configuration switches it on"

# A Placement is decided here as the daemon would, and whether it does is asked.
cat >"$work/hub" <<'HUB'
{"kind": "List", "apiVersion": "v1", "items": [
{"apiVersion": "cluster.open-cluster-management.io/v1", "kind": "ManagedCluster", "metadata": {"name": "m1"}},
{"apiVersion": "cluster.open-cluster-management.io/v1beta1", "kind": "Placement",
 "metadata": {"name": "web", "namespace": "shop", "annotations": {
  "cluster.open-cluster-management.io/experimental-scheduling-disable": "true", "sakkara.placement.scheduler": "sakkara"}},
 "spec": {"numberOfClusters": 1}}]}
HUB
modules() { # modules on|off
    printf '{"apiVersion": "sakkara/v1", "kind": "ModuleList", "items": [{"name": "ocm", "enabled": %s, "setting": "ocm.enabled"}]}' \
        "$([ "$1" = on ] && echo true || echo false)" >"$work/modules"
}
decided='Placement web (shop): AllDecisionsScheduled, 1 of 1 clusters selected.'
explained() { # explained NAME CODE FIRST-LINE
    runs "$1" "$2" "${with_stub[@]}" "$sakkara" explain placement/web -n shop
    if [ "$(head -1 "$work/out")" = "$3" ] && grep -qxF "$decided" "$work/out"; then pass; else fail "$1: $(cat "$work/out")"; fi
}
modules on
explained "a Placement, module on" 0 "$decided"
if [ -s "$work/err" ]; then fail "a Placement, module on: $(cat "$work/err")"; else pass; fi
modules off
explained "a Placement, module off" 4 "Not live: the daemon's module ocm is off. ocm.enabled: true in its configuration"
if [ -s "$work/err" ]; then fail "a Placement, module off: $(cat "$work/err")"; else pass; fi
settings() { # settings NAME JSON: the daemon decides by these
    printf '{"apiVersion": "sakkara/v1", "kind": "ModuleList", "items": [{"name": "%s", "enabled": true, "setting": "x", "decidesBy": %s}]}' \
        "$1" "$2" >"$work/modules"
}
settings ocm '{"schedulerName": "other", "spreadMode": "lexicographic"}'
explained "a Placement, another schedulerName" 0 "$decided"
if grep -q 'sakkara.placement.scheduler: "other"' "$work/err"; then pass; else fail "another schedulerName: $(cat "$work/err")"; fi
settings karmada '{"profile": "upstream", "options": "shortage=Unschedulable"}'
runs "a binding, profile of the daemon" 4 "${with_stub[@]}" "$sakkara" explain binding/web-deployment -n shop
if grep -q unsupported_constraint "$work/out"; then pass; else fail "a binding, profile of the daemon: $(cat "$work/out")"; fi
settings karmada '{"profile": "default", "options": "SchedulingOvercommitProtection=true"}'
runs "a binding, options of the daemon" 0 "${with_stub[@]}" "$sakkara" explain binding/web-deployment -n shop
if grep -q OvercommitGateIgnored "$work/out"; then pass; else fail "a binding, options of the daemon: $(cat "$work/out")"; fi
rm "$work/modules"
explained "a Placement, older daemon" 0 "$decided"
one_line "a Placement, older daemon" "whether the daemon's module ocm is on is not known: no such path"
runs "a Placement of a dump" 0 "$sakkara" explain placement/web -n shop --file "$work/hub"
if [ -s "$work/err" ]; then fail "a Placement of a dump: $(cat "$work/err")"; else pass; fi
rm "$work/hub"
runs "two presets" 2 "$sakkara" tree --file "$views/classes.yaml" --spotmix-preset eks --config "$views/classes-configuration.yaml"
runs "groups through kubectl" 0 "${with_stub[@]}" "$sakkara" get groups
same "groups through kubectl" $views/groups.txt "$work/out"
sed 's/"solveMicroseconds": 1000/"solveMicroseconds": 200/' $views/group.json >"$work/group"
runs "group through kubectl" 0 "${with_stub[@]}" "$sakkara" group a-0
sed 's/(1.0 ms)/(0.2 ms)/' $views/group.txt >"$work/expected"
same "group through kubectl" "$work/expected" "$work/out"
"$sakkara" explain a-3 --file docs/stuck-group.yaml -o json >"$work/explain"
runs "explain through kubectl" 4 "${with_stub[@]}" "$sakkara" explain a-3
grep -qx '  group a-3 needs 6 slots in one rack, best rack has 5' "$work/out" && pass || fail "explain through kubectl"
grep -qF 'groups?namespace=team-x' "$work/calls" && pass || fail "the context's namespace is not used"
grep -qF 'groups/team-x/a-0' "$work/calls" && pass || fail "the context's namespace is not used by group"
: >"$work/calls"
runs "flags of kubectl" 0 "${with_stub[@]}" "$sakkara" get groups -n 'a b&c' --context one --kubeconfig two \
    --request-timeout 5s
grep -qxF -- '--context one --kubeconfig two --request-timeout=5000ms get --raw /api/v1/namespaces/sakkara/services/http:sakkara:9662/proxy/v1/groups?namespace=a%20b%26c' \
    "$work/calls" && pass || fail "flags are not handed on: $(cat "$work/calls")"
runs "not found through kubectl" 3 "${with_stub[@]}" "$sakkara" group a-9
runs "no Service" 6 "${with_stub[@]}" "$sakkara" tree --service other/x
one_line "no Service" 'services "other" not found'
runs "a Service that is none" 1 "${with_stub[@]}" "$sakkara" tree --service other

# -w prints what changes, and nothing else.
lines() { # lines N: waits until the watch has printed that many
    for _ in $(seq 300); do
        [ "$(wc -l <"$work/watched")" -lt "$1" ] || return 0
        sleep 0.1
    done
    fail "the watch did not print $1 lines: $(cat "$work/watched")"
}
polls() { # polls N: waits until kubectl was asked so often since the last ": >calls"
    for _ in $(seq 300); do
        [ "$(grep -c 'get --raw' "$work/calls")" -lt "$1" ] || return 0
        sleep 0.1
    done
    fail "the watch does not look again"
}
: >"$work/calls"
: >"$work/watched"
"${with_stub[@]}" "$sakkara" get groups -n default -w >"$work/watched" 2>"$work/err" &
watch=$!
lines 4
polls 3 # two looks at the same
sed 's/"status": "Waiting"/"status": "Ready"/; s/"reason": "MembersMissing"/"reason": ""/' $views/groups.json >"$work/list.new"
mv "$work/list.new" "$work/list"
lines 5
: >"$work/calls"
polls 2
echo '{"kind": "GroupList", "items": []}' >"$work/list.new"
mv "$work/list.new" "$work/list"
lines 8
echo broken >"$work/list.new"
mv "$work/list.new" "$work/list"
wait "$watch"
[ $? = 1 ] && pass || fail "the watch did not end with what is no answer"
{
    cat $views/groups.txt
    echo 'a-1   Unplaced  0/8   1         ?       <none>                   12s'
    printf '%s\n' 'a-0   <deleted>  8/8   0         <none>  <none>                   <unknown>' \
        'a-1   <deleted>  0/8   1         <none>  <none>                   <unknown>' \
        'a-3   <deleted>  0/6   3         <none>  TopologyPlacementFailed  <unknown>'
} >"$work/expected"
same "watch" "$work/expected" "$work/watched"
cp $views/groups.json "$work/list"

# What kubectl may say instead.
says() { # says CODE TEXT EXIT-OF-KUBECTL EXPECTED
    printf '#!/bin/sh\n%s\nexit %s\n' "$2" "$3" >"$work/bin/kubectl"
    runs "kubectl: $2" "$1" "${with_stub[@]}" "$sakkara" get groups -n x
    one_line "kubectl: $2" "$4"
}
says 6 'echo "Unable to connect to the server: dial tcp" >&2' 1 'Unable to connect'
says 1 'echo "Error from server (Forbidden): services is forbidden" >&2' 1 'not allowed'
says 1 'echo "error: You must be logged in to the server (Unauthorized)" >&2' 1 'not allowed'
says 1 'echo "Error from server (BadRequest): sakkara: labelSelector: no" >&2' 1 'labelSelector: no'
says 6 'echo "Error from server (ServiceUnavailable): sakkara: not leader" >&2' 1 'not leader'
says 6 ':' 1 'exit code 1'
says 1 'echo "<html>"' 0 'the answer is no JSON'
says 1 'echo "{}"' 0 'the answer is no GroupList'
says 1 'echo "{\"kind\": \"GroupList\", \"items\": [{}]}"' 0 'without name or status'
says 1 'echo "{\"kind\": \"GroupList\"}"' 0 'no items'
mkdir "$work/empty"
runs "no kubectl" 6 env "PATH=$work/empty" "$sakkara" tree
one_line "no kubectl" 'kubectl is not in PATH'

# ---- the simulated cluster: live, and as a dump of itself ----

"$sakkara" sandbox -f test/simulate/worked-example-free.yaml --kubeconfig-out "$work/kubeconfig" \
    >"$work/sandbox" 2>&1 &
sandbox=$!
address() { sed -nE "s#^$1: http://127.0.0.1:([0-9]+).*#\\1#p" "$work/sandbox"; }
for _ in $(seq 300); do
    [ -z "$(address admin)" ] || break
    sleep 0.1
done
admin=http://127.0.0.1:$(address admin)
for _ in $(seq 300); do
    "$sakkara" get groups --server "$admin" >"$work/live" 2>"$work/err" && grep -q ' Bound ' "$work/live" && break
    sleep 0.1
done
grep -qE '^group-a  Bound   8/8   0 ' "$work/live" && pass || fail "the sandbox's gang: $(cat "$work/live" "$work/err")"
page() { # page PATH: a list of the sandbox's API
    exec 3<>"/dev/tcp/127.0.0.1/$(address sandbox)"
    printf 'GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n' "$1" >&3
    sed '1,/^\r$/d' <&3
    exec 3>&-
}
for path in nodes pods configmaps; do page /api/v1/$path; done >"$work/dump.json"
for command in "tree --resource cpu --slot cpu=100m" "get groups -o name"; do
    read -ra words <<<"$command"
    runs "live: $command" 0 "$sakkara" "${words[@]}" --server "$admin"
    mv "$work/out" "$work/live"
    runs "dump: $command" 0 "$sakkara" "${words[@]}" --file "$work/dump.json"
    same "$command, live and as a dump" "$work/live" "$work/out"
done
# Of a group, what is not about this process' life.
for from in "--server $admin" "--file $work/dump.json"; do
    read -ra words <<<"$from"
    runs "group $from" 0 "$sakkara" group group-a "${words[@]}"
    sed '/^Timing:/,/^Placement:/{/^Placement:/!d}; /^Events:/,$d' "$work/out" >"$work/group.${words[0]}"
done
same "group, live and as a dump" "$work/group.--server" "$work/group.--file"
runs "nothing near" 3 "$sakkara" group zzz --server "$admin"
one_line "nothing near" 'no group "zzz" in namespace "default"'

# ---- through a port-forward of its own: the daemon is on its pod's loopback ----

mkdir "$work/forward"
cat >"$work/forward/kubectl" <<'STUB'
#!/bin/sh
printf '%s\n' "$*" >>"$STUB/calls"
case "$*" in
*"config view"*) printf default ;;
*"--namespace sakkara get --output=json service sakkara"*) cat "$STUB/service" ;;
*"--namespace sakkara get --output=json pods --selector=app=s,tier=t --field-selector=status.phase=Running"*) cat "$STUB/pods" ;;
*"port-forward --address=127.0.0.1 pod/lost :7777"*)
    echo 'error: lost connection to pod' >&2
    echo 'Forwarding from 127.0.0.1:1 -> 7777'
    exec sleep 60
    ;;
*"port-forward --address=127.0.0.1 pod/leads :7777"*)
    echo $$ >"$STUB/forwarder"
    echo "Forwarding from 127.0.0.1:$PORT -> 7777"
    exec sleep 60
    ;;
*"port-forward --address=127.0.0.1 pod/closed "*)
    echo 'Error from server (Forbidden): pods "closed" is forbidden: User "jo" cannot create resource "pods/portforward"' >&2
    exit 1
    ;;
*) echo "Error from server (NotFound): no $*" >&2; exit 1 ;;
esac
STUB
chmod +x "$work/forward/kubectl"
echo '{"spec": {"selector": {"app": "s", "tier": "t"}, "ports": [{"name": "gate", "port": 443, "targetPort": 9443},
    {"name": "admin", "port": 9662, "targetPort": 7777}]}}' >"$work/service"
pods() { # pods NAME...: those behind the Service
    local name items=
    for name; do items="$items${items:+, }{\"metadata\": {\"name\": \"$name\"}}"; done
    echo "{\"items\": [$items]}" >"$work/pods"
}
forwarding=(env "PATH=$work/forward:/usr/bin:/bin" "PORT=${admin##*:}" http_proxy=http://127.0.0.1:1)
is_gone() { # the kubectl that forwarded has ended, too
    for _ in $(seq 300); do
        kill -0 "$(cat "$work/forwarder")" 2>/dev/null || return 0
        sleep 0.1
    done
    return 1
}
pods leads
runs "a forwarded group" 0 "${forwarding[@]}" "$sakkara" get groups -o name
grep -qx 'group/group-a' "$work/out" && pass || fail "a forwarded group: $(cat "$work/out" "$work/err")"
is_gone && pass || fail "kubectl port-forward stays"
# The page, until Ctrl-C; the first pod does not answer.
pods lost leads
"${forwarding[@]}" "$sakkara" ui >"$work/watched" 2>"$work/err" &
way=$!
lines 1
[ "$(cat "$work/watched")" = "$admin/ui/" ] && pass || fail "the page is at $(cat "$work/watched")"
kill -INT "$way"
wait "$way" && is_gone && pass || fail "sakkara ui does not end with its way"
one_line "sakkara ui" 'Ctrl-C ends the way to it'
# In a sandbox there is no pod to forward to, and the page is here.
page /sandbox/v1/daemon >"$work/where"
cat >"$work/bin/kubectl" <<'STUB'
#!/bin/sh
case "$*" in *"get --raw /sandbox/v1/daemon") [ -f "$STUB/where" ] && exec cat "$STUB/where" ;; esac
echo "Error from server (NotFound): no $*" >&2
exit 1
STUB
runs "the page of a sandbox" 0 "${with_stub[@]}" "$sakkara" ui
[ "$(cat "$work/out")" = "$admin/ui/" ] && pass || fail "the page of a sandbox: $(cat "$work/out" "$work/err")"
one_line "the page of a sandbox" 'the page of a sandbox'
rm "$work/where"
runs "no page" 3 "${with_stub[@]}" "$sakkara" ui
one_line "no page" '--server takes the address of a daemon'
pods lost leads
: >"$work/calls"
runs "a pod that does not answer" 0 "${forwarding[@]}" "$sakkara" tree --context one
grep -q '^root ' "$work/out" && pass || fail "a pod that does not answer: $(cat "$work/out" "$work/err")"
grep -qxF -- '--context one --namespace sakkara port-forward --address=127.0.0.1 pod/lost :7777' "$work/calls" &&
    pass || fail "flags are not handed on: $(cat "$work/calls")"
echo '{"items": [{"metadata": {"name": "lost"}}, {"metadata": {"name": "leads", "labels": {"sakkara.role": "leader"}}}]}' \
    >"$work/pods"
: >"$work/calls"
runs "who leads is asked first" 0 "${forwarding[@]}" "$sakkara" explain group-a
grep -q 'pod/lost' "$work/calls" && fail "another one is asked first" || pass
pods closed
runs "no port-forward" 1 "${forwarding[@]}" "$sakkara" tree
one_line "no port-forward" 'it takes create of pods/portforward'
pods lost
runs "nobody answers" 6 "${forwarding[@]}" "$sakkara" tree
one_line "nobody answers" 'lost connection to pod'
pods
runs "no pod" 6 "${forwarding[@]}" "$sakkara" tree
one_line "no pod" 'no pod of the Service sakkara/sakkara is running'
pods leads
"${forwarding[@]}" "$sakkara" get groups -w >"$work/watched" 2>"$work/err" &
watch=$!
lines 2
{
    kill -9 "$watch"
    wait "$watch"
} 2>/dev/null
is_gone && pass || fail "kubectl port-forward outlives a command that is killed"

kill "$sandbox"
wait "$sandbox"

# ---- 80 columns, in all that is kept of tables and sentences ----

# But for: -o wide, findings with their position, one long word, the names of many groups on one node of a tree.
wide=$(grep -nE '^.{81}' test/views/*.txt test/explain/*.txt test/simulate/*.txt test/simulate/*.picture test/bindings/*.txt |
    grep -vE '^test/views/(groups-.*wide|groups-wide|tree-odd)\.txt:|: warning: |:[0-9]+: *[^ ]+$')
[ -z "$wide" ] && pass || fail "more than 80 columns: $wide"

# ---- as a plugin ----

ln -s "$sakkara" "$work/bin/kubectl-sakkara"
runs "help of the plugin" 0 "$work/bin/kubectl-sakkara" help tree
grep -qF 'Usage: kubectl sakkara tree [DOMAIN]' "$work/out" && grep -qF '| kubectl sakkara tree --file -' "$work/out" &&
    ! grep -E '(^|[^l]) sakkara tree' "$work/out" && pass || fail "help of the plugin: $(cat "$work/out")"
runs "the plugin without a word" 2 "$work/bin/kubectl-sakkara"
grep -q '^Next: kubectl sakkara demo' "$work/err" && pass || fail "the plugin without a word: $(cat "$work/err")"
runs "the plugin with a word it does not know" 2 "$work/bin/kubectl-sakkara" simulte
grep -q 'did you mean simulate' "$work/err" && pass || fail "the plugin with a word it does not know: $(cat "$work/err")"
runs "refusal of the plugin" 2 "$work/bin/kubectl-sakkara" tree --ascci
grep -qF 'usage: kubectl sakkara tree' "$work/err" && pass || fail "refusal of the plugin: $(cat "$work/err")"

# ---- colour ----

runs "no colour in files" 0 "$sakkara" get groups --file $views/groups.yaml
same "no colour in files" $views/groups.txt "$work/out"
if command -v script >/dev/null 2>&1; then
    on_terminal() { script -qec "$1" /dev/null </dev/null | tr -d '\r' >"$work/out"; }
    on_terminal "TERM=xterm $sakkara get groups --file $views/groups.yaml"
    grep -q $'\033\\[32mBound' "$work/out" && pass || fail "no colour on a terminal"
    on_terminal "TERM=dumb $sakkara get groups --file $views/groups.yaml"
    same "no colour on a dumb terminal" $views/groups.txt "$work/out"
    on_terminal "TERM=xterm NO_COLOR=1 $sakkara get groups --file $views/groups.yaml"
    same "no colour with NO_COLOR" $views/groups.txt "$work/out"
fi

checks_end
