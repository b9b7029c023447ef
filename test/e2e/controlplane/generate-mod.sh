#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes the module file for one Kubernetes version, and its sums: generate-mod.sh VERSION FILE (1.36.3 go.mod).
# k8s.io/kubernetes requires its staging repositories at v0.0.0 and a dependency's replace lines are
# ignored, so each of them is replaced by its published release here. build-controlplane.sh pins what it
# writes: a new version is a new line there, with `cat FILE SUMS | sha256sum`.
set -eu
version=$1
file=$2
minor=${version#1.}
staging="api apiextensions-apiserver apimachinery apiserver cli-runtime client-go cloud-provider
cluster-bootstrap code-generator component-base component-helpers controller-manager cri-api cri-client
csi-translation-lib dynamic-resource-allocation endpointslice externaljwt kms kube-aggregator
kube-controller-manager kube-proxy kube-scheduler kubectl kubelet metrics mount-utils
pod-security-admission sample-apiserver sample-cli-plugin sample-controller"
[ "${minor%%.*}" -ge 36 ] && staging="$staging cri-streaming streaming"
[ "${minor%%.*}" -le 30 ] && staging="$staging legacy-cloud-providers"
cd "$(dirname "$0")"
{
    printf 'module sakkara/test/e2e/controlplane\n\ngo 1.26\n\n'
    printf 'require k8s.io/kubernetes v%s\n\nreplace (\n' "$version"
    for repository in $staging; do
        printf '\tk8s.io/%s => k8s.io/%s v0.%s\n' "$repository" "$repository" "$minor"
    done
    printf ')\n'
} >"$file"
# -modfile does not go with "go mod tidy" on all releases, so tidy a copy of the module.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp ./*.go "$work/"
cp "$file" "$work/go.mod"
(cd "$work" && go mod tidy)
cp "$work/go.mod" "$file"
cp "$work/go.sum" "${file%.mod}.sum"
