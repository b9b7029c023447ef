#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What every change has to pass (`make check`). The last line is "N passed, N failed".
# SKIP_E2E=1 leaves the real control plane out; the scenarios still run on the sandbox.
set -u
cd "$(dirname "$0")/.."
. test/steps.sh
make="make --no-print-directory -s"
jobs=$(nproc 2>/dev/null || echo 2)

step build $make -j"$jobs" all
# The control planes leave a third of the processors idle and take longest: they begin first. What only computes goes on
# beside them, and gives way to them.
real_e2e=
if [ "${SKIP_E2E:-}" != 1 ] && command -v go >/dev/null 2>&1; then
    real_e2e=1
    step_beside e2e test/e2e-counted.sh
fi
if image_needs=$(test/image.sh --needs); then
    step_beside image nice test/image.sh build/sakkara
else
    step_skip image "$image_needs"
fi
step layers $make check-layers
step "layers, planted" test/check-layers.sh --planted
step "circles, planted" test/check-circles.sh --planted
step guarantees test/check-guarantees.sh
step "guarantees, planted" test/check-guarantees.sh --planted
step "planted bugs stand" test/planted.sh --stand
step dialect test/dialect.sh
step "dialect, planted" test/dialect.sh --planted
step format $make format-check
step documents test/docs.sh build/sakkara
step demo test/demo.sh build/sakkara
if tour_needs=$(test/tour.sh --needs); then
    step tour test/tour.sh build/sakkara
else
    step_skip tour "$tour_needs"
fi
# Scenarios on the sandbox, and the program seen from outside, mostly wait.
if command -v go >/dev/null 2>&1; then
    step "list of scenarios" test/e2e/scenarios.sh check
    step "e2e, sandbox" env SAKKARA_E2E_PLANE=sandbox test/e2e-counted.sh
else
    step_skip "e2e, sandbox" "no Go"
fi
# Beside what mostly waits: helm is built first where it is not cached.
if command -v go >/dev/null 2>&1; then
    step_beside ship nice test/e2e-counted.sh ../ship/run.sh
else
    step_skip ship "no Go"
fi
# What they decided, or themselves where make upstream has built them.
if command -v go >/dev/null 2>&1; then
    step karmada-scheduler test/e2e-counted.sh ../upstream/run.sh karmada --recorded
    step "OCM's controller" test/e2e-counted.sh ../upstream/run.sh ocm --recorded
else
    step_skip karmada-scheduler "no Go"
    step_skip "OCM's controller" "no Go"
fi
step "kube-scheduler's devices" test/upstream/devices/run.sh --recorded
step "kube-scheduler's volumes" test/upstream/volumes/run.sh --recorded
if ui_needs=$(test/ui/run.sh --needs) || [ "${CI:-}" = true ]; then
    step_beside ui nice test/ui/run.sh
else
    step_skip ui "$ui_needs"
fi
step integration $make -j"$jobs" integration
# These keep every processor busy, also when nothing is left beside them.
step cppcheck nice $make lint-cppcheck
step "fuzz corpus" nice $make -j"$jobs" fuzz-replay
step unit nice $make -j"$jobs" unit
step property nice $make -j"$jobs" property
step explore nice $make -j"$jobs" explore
step crashes nice $make -j"$jobs" CRASH=all SEEDS=6 STEPS=100 explore
if [ "$real_e2e" ]; then
    if command -v kubectl >/dev/null 2>&1; then
        step "kubectl of two versions" env SAKKARA_E2E_KUBECTLS=2 SAKKARA_E2E_PLANE=sandbox \
            SAKKARA_E2E_STATES=build/e2e/kubectl test/e2e-counted.sh run.sh -run Kubectl
    else
        step_skip "kubectl of two versions" "none in PATH beside the built one"
    fi
fi
step_join
if [ "$real_e2e" ]; then
    step "e2e, the sandbox agrees" test/e2e-counted.sh agree.sh
elif [ "${SKIP_E2E:-}" = 1 ]; then
    step_skip e2e "SKIP_E2E=1"
else
    step_skip e2e "no Go"
fi
steps_end
