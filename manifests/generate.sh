#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes the manifests that are committed from the chart, which is their source:
#   generate.sh [FOLDER]      FOLDER: where they go instead of the folder of this file
# A file is its head (heads/), and what helm renders of the chart. Needs helm, which test/ship/tools/build.sh builds
# from its Go module where the user's cache folder has none.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-$here}
helm=$("$here/../test/ship/tools/build.sh" helm)

# render ARGUMENT...: what the chart makes on the Kubernetes that the tests run on
render() {
    "$helm" template sakkara "$here/chart/sakkara" --namespace sakkara --kube-version 1.36.3 --no-hooks "$@" |
        sed '/^# Source: /d' | sed '1{/^---$/d}'
}
# write FILE HEAD TEMPLATE SETTING: the objects of one template
write() {
    mkdir -p "$(dirname "$folder/$1")"
    { [ -z "$2" ] || cat "$here/heads/$2"; render --show-only "templates/$3" --set "$4"; } >"$folder/$1.new"
    mv "$folder/$1.new" "$folder/$1"
}
# both NAME SETTING: a file for kubectl, and the same objects for the component of that name
both() {
    write "$1.yaml" "$1.yaml" "$1.yaml" "$2"
    write "kustomize/${3:-$1}/objects.yaml" '' "$1.yaml" "$2"
}

# kustomize reads no file outside of its folders: the base and the components have copies.
mkdir -p "$folder/kustomize/base"
render >"$folder/kustomize/base/objects.yaml.new"
mv "$folder/kustomize/base/objects.yaml.new" "$folder/kustomize/base/objects.yaml"
cat "$here/heads/install.yaml" "$folder/kustomize/base/objects.yaml" >"$folder/install.yaml.new"
mv "$folder/install.yaml.new" "$folder/install.yaml"
both account-policy accountPolicy=true
both group-policy groupPolicy=true
both gate-policy gate.mode=policy
both gate-webhook gate.mode=webhook
both spotmix-webhook spotmix.enabled=true spotmix
write provisioning.yaml provisioning.yaml provisioning.yaml config.provisioningClass=x
write kueue.yaml kueue.yaml kueue.yaml config.kueue.admissionCheck=true
for name in ocm karmada; do
    write "$name/rbac.yaml" "$name.yaml" "$name.yaml" "$name.enabled=true"
    write "kustomize/$name/objects.yaml" '' "$name.yaml" "$name.enabled=true"
done
write karmada/estimators.yaml karmada-estimators.yaml karmada-estimators.yaml \
    karmada.enabled=true,config.karmada.estimators.enabled=true
write alerts.yaml alerts.yaml alerts.yaml prometheusRule=true
write spotmix-alerts.yaml spotmix-alerts.yaml spotmix-alerts.yaml prometheusRule=true,spotmix.enabled=true
write kustomize/monitoring/objects.yaml '' monitoring.yaml metrics=true,serviceMonitor=true,dashboard=true
write kustomize/monitoring/alerts.yaml '' alerts.yaml prometheusRule=true
write kustomize/ha/objects.yaml '' pdb.yaml pdb=true
