#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints which of docker, podman and buildah builds images here: the first that is installed and answers. A client
# without its daemon is passed over, and said why; with none that answers status 1.
complain() { echo "make image: $*" >&2; }
found=
for tool in docker podman buildah; do
    command -v "$tool" >/dev/null 2>&1 || continue
    case $tool in
    docker) probe="version" ;; # asks the daemon, too
    podman) probe="info" ;;
    *) probe="--version" ;;
    esac
    if why=$(timeout 30 "$tool" $probe 2>&1 >/dev/null); then
        [ -z "$found" ] || complain "building with $tool"
        echo "$tool"
        exit 0
    fi
    found=$tool
    complain "$tool does not answer: $(printf '%s\n' "${why:-it gave no reason}" | tail -n 1)"
done
if [ -n "$found" ]; then
    complain "start what it needs (docker: its daemon, and be in its group), or install podman or buildah, which need no daemon"
else
    complain "needs docker, podman or buildah: none is in PATH"
fi
exit 1
