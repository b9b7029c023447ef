#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compares sakkara with the bare kube-scheduler on one control plane and prints tables with ratios:
#   bench.sh [GO-TEST-ARGUMENT...]      for example: bench.sh -run Throughput
# SAKKARA_BENCH_NODES="90 200 1000 5000" and SAKKARA_BENCH_ROUNDS=3 choose sizes and rounds;
# SAKKARA_BENCH_DEVICE_NODES=100 and SAKKARA_BENCH_GANGS=12 choose the load of devices;
# SAKKARA_BENCH_ROUNDS=0 prints timelines alone; SAKKARA_BENCH_WITHOUT=gated leaves out the contenders whose names
# end so; SAKKARA_BENCH_PERCENTAGE is percentageOfNodesToScore of the kube-scheduler
# beside the daemon (100 below 1,500 nodes, as shipped, else -1), -1 leaves it to itself; the bare one is left to itself.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if ! command -v go >/dev/null 2>&1; then
    echo "SKIP bench-e2e: go is not installed"
    exit 0
fi
SAKKARA_BIN=${SAKKARA_BIN:-$here/../../build/sakkara}
export SAKKARA_BIN
"$here/build-controlplane.sh" "${SAKKARA_E2E_VERSION:-1.36.3}" >/dev/null
cd "$here/suite"
[ $# -gt 0 ] || set -- -run Bench
SAKKARA_E2E_AUDIT=1 exec go test -tags bench -count=1 -timeout 60m -v "$@" .
