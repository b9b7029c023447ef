#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# image.sh PROGRAM: the Dockerfile, really built and run. The base image is a minimal Debian
# (debian-base.sh), so no registry is asked; buildah builds without a daemon.
# What was built runs as it does in a cluster: not root, no capabilities, read-only root; it must
# become ready beside a simulated cluster (PROGRAM sandbox) and end cleanly.
# image.sh --needs: says what this machine lacks for it, status 1; or nothing, status 0.
set -u
lacks() {
    [ "$(id -u)" = 0 ] || echo "not root"
    for tool in buildah debootstrap unshare setpriv; do
        command -v $tool >/dev/null 2>&1 || echo "no $tool"
    done
    unshare -m true 2>/dev/null || echo "no mount namespaces"
}
if [ "$1" = --needs ]; then
    lacks | head -n 1 | grep . && exit 1
    exit 0
fi
program=$(realpath "$1")
cd "$(dirname "$0")/.." || exit 1
. test/daemon.sh
dir=$(mktemp -d)
sandbox=
daemon=
box=
# Layers over each other where that can be mounted; otherwise each is a copy of all below it.
driver=overlay
run_buildah() {
    buildah --storage-driver $driver --root "$dir/root" --runroot "$dir/run" "$@"
}
finish() {
    [ -z "$daemon" ] || kill -9 "$daemon" 2>/dev/null
    [ -z "$sandbox" ] || kill -9 "$sandbox" 2>/dev/null
    [ -z "$box" ] || run_buildah umount "$box" >/dev/null 2>&1
    rm -rf "$dir"
}
trap finish EXIT
fail() {
    echo "image: $1" >&2
    [ ! -s "$dir/log" ] || tail -n 60 "$dir/log" >&2
    exit 1
}
lacks | grep . >&2 && exit 1
export BUILDAH_ISOLATION=chroot

mkdir "$dir/lower" "$dir/upper" "$dir/work" "$dir/merged"
unshare -m mount -t overlay -o "lowerdir=$dir/lower,upperdir=$dir/upper,workdir=$dir/work" overlay "$dir/merged" \
    2>/dev/null || driver=vfs

tar=$(test/debian-base.sh) || fail "there is no base"
make_base() {
    local base
    base=$(run_buildah from scratch 2>>"$dir/log") && run_buildah add -q "$base" "$tar" / >>"$dir/log" 2>&1 &&
        run_buildah commit -q "$base" localhost/base >>"$dir/log" 2>&1 && run_buildah rm "$base" >/dev/null
}
if ! make_base; then # buildah asks more of overlays than the mount above does
    [ $driver = overlay ] && driver=vfs && rm -rf "$dir/root" "$dir/run" && make_base || fail "the base image cannot be made"
fi

# The build.
run_buildah bud -q --layers=false --build-arg BASE=localhost/base --build-arg VERSION=test-of-the-image --build-arg OPT=-O0 \
    -t localhost/sakkara . >"$dir/log" 2>&1 || fail "the build failed"
: >"$dir/log"
run_buildah inspect --type image --format '{{.OCIv1.Config.User}} {{.OCIv1.Config.Entrypoint}} {{.OCIv1.Config.Cmd}} {{.Docker.Config.Healthcheck}}' \
    localhost/sakkara >"$dir/config" || fail "the image cannot be inspected"
[ "$(cat "$dir/config")" = "65532:65532 [/usr/bin/sakkara] [serve] <nil>" ] || fail "it is configured as $(cat "$dir/config")"

# The run: as in a pod with a restricted security context.
box=$(run_buildah from localhost/sakkara) && root=$(run_buildah mount "$box") || fail "the image cannot be mounted"
mkdir "$root/mnt/test"
# In place of the shell that calls it: run it in one of its own.
exec_in_image() {
    # shellcheck disable=SC2016
    exec unshare -m sh -c 'root=$1; shift
        mount --bind "$root" "$root" && mount --rbind /proc "$root/proc" && mount --rbind /dev "$root/dev" &&
            mount -o remount,ro,bind "$root" || exit 70
        exec chroot "$root" setpriv --reuid=65532 --regid=65532 --clear-groups --no-new-privs --bounding-set=-all \
            --inh-caps=-all "$@"' in-image "$root" "$@"
}
in_image() {
    (exec_in_image "$@")
}
in_image touch /tmp/written 2>/dev/null && fail "the root is not read-only"
in_image /usr/bin/sakkara version | grep -qx 'sakkara test-of-the-image' || fail "version says otherwise"
in_image /usr/bin/sakkara demo >/dev/null || fail "the demo does not run"

"$program" sandbox --no-daemon --listen 127.0.0.1:0 --kubeconfig-out "$root/mnt/test/kubeconfig" >"$dir/sandbox" 2>&1 &
sandbox=$!
for _ in $(seq 300); do
    [ ! -s "$root/mnt/test/kubeconfig" ] || break
    kill -0 "$sandbox" 2>/dev/null || fail "the sandbox ended: $(cat "$dir/sandbox")"
    sleep 0.1
done
chmod 644 "$root/mnt/test/kubeconfig" || fail "no kubeconfig"
cat >"$root/mnt/test/sakkara.yaml" <<END
apiVersion: sakkara/v1
kind: SakkaraConfiguration
extender: {listen: "127.0.0.1:0", bindListen: "127.0.0.1:0"}
admin: {listen: "127.0.0.1:0"}
END
exec_in_image /usr/bin/sakkara serve --config /mnt/test/sakkara.yaml --kubeconfig /mnt/test/kubeconfig 2>"$dir/log" &
daemon=$!
await_start "$daemon" "$dir/log"
ready=
for _ in $(seq 300); do
    if get /readyz | grep -q '^HTTP/1.1 200'; then
        ready=1
        break
    fi
    sleep 0.1
done
[ -n "$ready" ] || fail "the daemon is not ready: $(get '/readyz?verbose')"
uid=$(awk '/^Uid:/ { print $2 }' "/proc/$daemon/status")
[ "$uid" = 65532 ] || fail "it runs as uid $uid"
kill -TERM "$daemon"
wait "$daemon"
code=$?
daemon=
[ $code = 0 ] || fail "SIGTERM ended it with $code"
echo "image: built, ready beside the simulated cluster, $(stat -c %s "$root/usr/bin/sakkara") bytes of program"
