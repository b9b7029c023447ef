// SPDX-License-Identifier: Apache-2.0
// Writes clusters, Placements of OCM, bindings of Karmada, and workloads of the spot mix, as a List for
// `kubectl create -f -`.
//   node test/ui/fleet.mjs > fleet.json
const items = [];
const regions = {"us-east": "abc", "us-west": "ab", "eu-west": "abc", "ap-south": "ab"};
const OCM = "cluster.open-cluster-management.io";
const cloud = {"us-east": "aws", "us-west": "aws", "eu-west": "gcp", "ap-south": "azure"};
let n = 0;
for (const [region, zones] of Object.entries(regions)) {
  for (const zone of zones) {
    for (let i = 0; i < 4; i++, n++) {
      const name = "c" + String(n).padStart(2, "0");
      items.push({apiVersion: OCM + "/v1", kind: "ManagedCluster", metadata: {name, labels: {region, zone: region + "-" + zone}}, spec: n % 17 === 5 ? {taints: [{key: "maintenance", effect: "NoSelect"}]} : {}});
      items.push({
        apiVersion: "cluster.karmada.io/v1alpha1", kind: "Cluster", metadata: {name},
        spec: {provider: cloud[region], region, zones: [region + "-" + zone], ...(n % 13 === 7 ? {taints: [{key: "cluster.karmada.io/not-ready", effect: "NoSchedule"}]} : {})},
        status: {
          apiEnablements: [{groupVersion: "apps/v1", resources: [{kind: "Deployment", name: "deployments"}]}],
          resourceSummary: {allocatable: {cpu: "64", memory: "256Gi", pods: String(20 + n % 5 * 10)}, allocated: {cpu: "8", memory: "32Gi", pods: String(n % 4 * 5)}},
        },
      });
    }
  }
}
items.push({apiVersion: OCM + "/v1beta2", kind: "ManagedClusterSet", metadata: {name: "global"}, spec: {clusterSelector: {selectorType: "LabelSelector", labelSelector: {}}}});
for (const ns of ["shop", "ml"]) items.push({apiVersion: "v1", kind: "Namespace", metadata: {name: ns}}, {apiVersion: OCM + "/v1beta2", kind: "ManagedClusterSetBinding", metadata: {name: "global", namespace: ns}, spec: {clusterSet: "global"}});
[["web", 6], ["api", 8], ["cache", 3], ["batch", 60], ["search", 10]].forEach(([name, numberOfClusters], i) => items.push({
  apiVersion: OCM + "/v1beta1", kind: "Placement",
  metadata: {name, namespace: i % 2 ? "ml" : "shop", annotations: {[OCM + "/experimental-scheduling-disable"]: "true", "sakkara.placement.scheduler": "sakkara"}},
  spec: {numberOfClusters, spreadPolicy: {spreadConstraints: [{topologyKey: "region", topologyKeyType: "Label"}, {topologyKey: "zone", topologyKeyType: "Label"}]}},
}));
[["web", 24], ["api", 40], ["worker", 90], ["huge", 5000], ["cron", 6]].forEach(([name, replicas], i) => items.push({
  apiVersion: "work.karmada.io/v1alpha2", kind: "ResourceBinding",
  metadata: {name: name + "-deployment", namespace: "shop", labels: {"propagationpolicy.karmada.io/permanent-id": "p" + i}},
  spec: {
    schedulerName: "sakkara", resource: {apiVersion: "apps/v1", kind: "Deployment", name, namespace: "shop", uid: "0b54a0c7-9c9e-4a3e-8f5d-2f1f6f6c0a1" + i}, replicas,
    replicaRequirements: {resourceRequest: {cpu: "500m", memory: "1Gi"}},
    placement: {
      spreadConstraints: [{spreadByField: "region", minGroups: 2, maxGroups: 3}, {spreadByField: "cluster", minGroups: 3, maxGroups: 12}],
      replicaScheduling: {replicaSchedulingType: "Divided", replicaDivisionPreference: "Weighted", weightPreference: {dynamicWeight: "AvailableReplicas"}},
    },
  },
}));
process.stdout.write(JSON.stringify({apiVersion: "v1", kind: "List", items}));
