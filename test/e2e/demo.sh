#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Plays the worked example on a real control plane and shows what kubectl shows.
# demo.sh [VERSION]; the daemon is build/sakkara or $SAKKARA_BIN.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
version=${1:-1.36.3}
sakkara=${SAKKARA_BIN:-$here/../../build/sakkara}
if ! command -v go >/dev/null 2>&1; then
    echo "SKIP e2e-demo: go is not installed (make demo needs none)"
    exit 0
fi
if [ ! -x "$sakkara" ]; then
    echo "e2e-demo: $sakkara is missing, run make first" >&2
    exit 1
fi
sakkara=$(cd "$(dirname "$sakkara")" && pwd)/$(basename "$sakkara")
controlplane=$("$here/build-controlplane.sh" "$version")
cd "$here/suite"
exec go run ./demo -controlplane "$controlplane" -version "$version" -sakkara "$sakkara" \
    -manifest "$here/../../manifests/install.yaml"
