#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# arm64.sh [PROGRAM...]: the unit tests, or some of them (topology/test_tree), compiled for arm64 as a release is, and run
# under qemu. Every night, not in the gate: it compiles the program anew. What this machine lacks is named, and an error
# under CI=true. OPT=-O0 is quicker.
set -eu
cd "$(dirname "$0")/.."
skip() {
    echo "SKIP unit-arm64: $1"
    [ "${CI:-}" != true ] || exit 1
    exit 0
}
for tool in aarch64-linux-gnu-gcc qemu-aarch64-static; do
    command -v $tool >/dev/null 2>&1 || skip "$tool is not installed; .ci/deps.sh dist installs it"
done
root=$(release/sysroot.sh arm64) || skip "no headers and libraries of arm64 for this distribution"
ccache=$(command -v ccache || true)
programs=$(for name in "$@"; do echo "build/arm64/test/unit/$name"; done)
# shellcheck disable=SC2086
SKR_RUN="qemu-aarch64-static -L $root" exec make -s --no-print-directory -j"$(nproc)" O=build/arm64 BIN=build/arm64/sakkara \
    PLUGIN=build/arm64/kubectl-sakkara CC="$ccache aarch64-linux-gnu-gcc --sysroot=$root" AR=aarch64-linux-gnu-ar \
    LD=aarch64-linux-gnu-ld OPT="${OPT:--O2}" TEST_LD='' LDLIBS='-ljansson -lcurl -lmicrohttpd -lyaml -lgnutls -lpthread' \
    ${programs:+UNIT_BIN="$(echo $programs)"} unit
