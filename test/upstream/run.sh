#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Random problems for the scheduler that a folder beside this file has as a module, and for ours: both have to decide the
# same, but for the differences that docs list. The program is build/sakkara or $SAKKARA_BIN.
#   run.sh NAME [-n N] [-seed N]     NAME: karmada, ocm
#   run.sh NAME --record             keeps the first problems and their answers in NAME/record.json.gz
#   run.sh NAME --path               prints where the binary is, or would be
#   run.sh NAME -serve KUBECONFIG    runs the other scheduler on an API server
#   run.sh NAME --recorded           plays these, without the other scheduler, whose build takes minutes of a processor;
#                                    where it is built already, it decides them again
# Needs Go; without it nothing is tested, which is an error under CI=true. The last line counts the problems. The binary
# is kept in the user's cache folder under a name that changes with its sources and sums.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
name=$1
shift
if ! command -v go >/dev/null 2>&1; then
    echo "SKIP $name: go is not installed"
    [ "${CI:-}" != true ]
    exit
fi
tags=
case $name in
karmada) page=bindings.md tags=kubernetes_protomessage_one_more_release ;; # the tag of Karmada's own build
ocm) page=placements.md ;;
esac
source=$here/$name
key=$(cat "$source"/*.go "$source"/go.* | sha256sum | cut -c1-16)
program=${SAKKARA_BIN:-$here/../../build/sakkara}
docs=$here/../../docs/$page
folder=${XDG_CACHE_HOME:-$HOME/.cache}/sakkara/upstream
binary=$folder/$name-$key
if [ "${1:-}" = --recorded ] && [ -x "$binary" ]; then
    shift
elif [ "${1:-}" = --recorded ]; then
    program=$(cd "$(dirname "$program")" && pwd)/$(basename "$program")
    exec go run -C "$here/record" ./replay -sakkara "$program" -docs "$docs" -sources "$key" "$source/record.json.gz"
fi
if [ "${1:-}" = --path ]; then
    echo "$binary"
    exit
fi
if [ ! -x "$binary" ]; then
    mkdir -p "$folder"
    echo "run.sh: building $name, some minutes when cold" >&2
    nice go build -C "$source" -tags "$tags" -mod=readonly -trimpath -buildvcs=false -ldflags '-s -w' -o "$binary.$$" . >&2
    mv "$binary.$$" "$binary"
fi
[ "${1:-}" != --record ] || set -- -record "$source/record.json.gz" -sources "$key"
exec "$binary" -sakkara "$program" -docs "$docs" "$@"
