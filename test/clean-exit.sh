#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# clean-exit.sh PROGRAM [RUNNER...]: the daemon starts without an API server, answers its probes, ends
# within 5 s of SIGTERM with code 0; broken input and usage have their codes.
set -u
program=$1
shift
. "$(dirname "$0")/daemon.sh"
dir=$(mktemp -d)
daemon=
trap '[ -z "$daemon" ] || kill -9 "$daemon" 2>/dev/null; rm -rf "$dir"' EXIT
fail() {
    echo "clean-exit: $1" >&2
    cat "$dir/log" >&2 2>/dev/null
    exit 1
}
expect() { # expect CODE ARGUMENT...
    want=$1
    shift
    "$program" "$@" >"$dir/out" 2>&1
    code=$?
    [ $code = "$want" ] || fail "$* ended with $code, not $want: $(cat "$dir/out")"
}
expect 0 version
expect 0 --version
expect 0 help
expect 0 help serve
expect 0 help config
expect 2
expect 2 sevre
expect 2 serve --confg x
expect 3 serve --config /nonexistent
expect 1 serve --kubeconfig /nonexistent

cat >"$dir/kubeconfig" <<END
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {token: secret-of-the-test}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
current-context: c
END
cat >"$dir/sakkara.yaml" <<END
apiVersion: sakkara/v1
kind: SakkaraConfiguration
extender: {listen: "127.0.0.1:0", bindListen: "127.0.0.1:0"}
admin: {listen: "127.0.0.1:0"}
END
"$@" "$program" serve --config "$dir/sakkara.yaml" --kubeconfig "$dir/kubeconfig" -v 6 2>"$dir/log" &
daemon=$!
await_start "$daemon" "$dir/log"
get /livez | grep -q '^HTTP/1.1 200' || fail "/livez is not 200"
get /readyz | grep -q '^HTTP/1.1 503' || fail "/readyz is not 503 before the first lists"
get /metrics | grep -q '^sakkara_build_info' || fail "/metrics lacks sakkara_build_info"
kill -HUP "$daemon"
for _ in $(seq 100); do
    grep -q '"Log level changed"' "$dir/log" && break
    sleep 0.05
done
grep -q '"Log level changed" v=6' "$dir/log" || fail "SIGHUP did not change the log level"
begin=$(date +%s)
kill -TERM "$daemon"
wait "$daemon"
code=$?
daemon=
[ $code = 0 ] || fail "SIGTERM ended it with $code"
[ $(($(date +%s) - begin)) -le 5 ] || fail "it took longer than 5 s to end"
grep -q '"Daemon stopped"' "$dir/log" || fail "it did not say that it stopped"
if grep -q 'secret-of-the-test' "$dir/log"; then
    fail "the token is in the log"
fi
