# SPDX-License-Identifier: Apache-2.0
# Sourced by tests that start the daemon by hand; bash.
#   await_start PID LOG     waits until the daemon that logs into LOG has started; sets port (admin)
#   get PATH                the whole answer of its admin port; no curl on bare machines

await_start() {
    port=
    for _ in $(seq 300); do
        port=$(sed -nE 's/.*"Daemon started".* adminPort=([0-9]+).*/\1/p' "$2")
        [ -z "$port" ] || return 0
        kill -0 "$1" 2>/dev/null || fail "the daemon ended at its start"
        sleep 0.1
    done
    fail "the daemon did not start within 30 s"
}

get() {
    exec 3<>"/dev/tcp/127.0.0.1/$port"
    printf 'GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n' "$1" >&3
    cat <&3
    exec 3>&-
}
