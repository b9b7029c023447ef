// SPDX-License-Identifier: Apache-2.0
// Writes a cluster as JSON lines that `sakkara sandbox -f` reads: zones, racks and nodes with devices,
// nodes that are not Ready or cordoned, ordinary pods, and groups with their pods and rules. The same
// numbers give the same cluster.
//   node test/ui/cluster.mjs ZONES RACKS NODES GROUPS > cluster.json
const [zones, racks, nodes, groups] = process.argv.slice(2).map(Number);
let seed = 42;
const random = n => {
  seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
  return (seed >>> 8) % n;
};
const pad = (n, digits) => String(n).padStart(digits, "0");
const items = [];
const tree = {};
const GPU = "nvidia.com/gpu";
const needs = (cpu, memory, gpu) => ({requests: {cpu, memory, [GPU]: String(gpu)}, limits: {[GPU]: String(gpu)}});
let number = 0;
for (let z = 0; z < zones; z++) {
  tree["zone-" + z] = {};
  for (let r = 0; r < racks; r++) {
    const rack = "rack-" + pad(z * racks + r, zones * racks > 100 ? 3 : 2);
    tree["zone-" + z][rack] = {};
    for (let n = 0; n < nodes; n++, number++) {
      const name = "node-" + pad(number, zones * racks * nodes > 1000 ? 4 : 3);
      tree["zone-" + z][rack][name] = {};
      const ready = random(200) !== 0;
      items.push({
        apiVersion: "v1", kind: "Node", metadata: {name},
        spec: random(250) === 0 ? {unschedulable: true} : {},
        status: {
          allocatable: {cpu: "64", memory: "512Gi", pods: "110", [GPU]: "8"},
          conditions: [{type: "Ready", status: ready ? "True" : "False"}],
        },
      });
      if (random(12) === 0) {
        items.push({
          apiVersion: "v1", kind: "Pod", metadata: {name: "web-" + number, namespace: "shop"},
          spec: {nodeName: name, containers: [{name: "main", image: "web", resources: needs("8", "32Gi", 1 + random(3))}]},
          status: {phase: "Running"},
        });
      }
    }
  }
}
items.unshift({
  apiVersion: "v1", kind: "ConfigMap",
  metadata: {name: "cluster-topology", namespace: "default", labels: {"sakkara.topology": ""}},
  data: {name: "cluster-tree", "level-names": '["zone","rack","node"]', resources: '["nvidia.com/gpu","cpu","memory"]', tree: JSON.stringify(tree)},
});
const sizes = [4, 8, 8, 16, 16, 24, 32, 64];
const words = ["train", "llm", "eval", "vision", "rl", "speech"];
for (let g = 0; g < groups; g++) {
  const namespace = "team-" + g % 12, size = sizes[random(sizes.length)], each = [8, 8, 4, 2][random(4)];
  const name = words[random(words.length)] + "-" + pad(g, 3), stuck = g % 9 === 8;
  const count = stuck ? Math.max(size, nodes * 2) : size, gpu = stuck ? 8 : each;
  const rules = {zone: {type: "pack", hard: true}, rack: {type: "pack", hard: stuck}, node: {type: "pack"}};
  items.push({
    apiVersion: "v1", kind: "ConfigMap", metadata: {name, namespace, labels: {"sakkara.group": ""}},
    data: {name, size: String(count), priority: String(random(6)), constraints: JSON.stringify(rules), ...g % 4 ? {"run-limit": 1 + g % 3 + "h"} : {}},
  });
  for (let p = 0; p < (g % 23 === 22 ? count - 1 : count); p++) {
    items.push({
      apiVersion: "v1", kind: "Pod",
      metadata: {name: name + "-" + p, namespace, labels: {"sakkara.group.name": name}},
      spec: {
        schedulerName: "sakkara", schedulingGates: [{name: "sakkara.gang"}],
        containers: [{name: "main", image: "train", resources: needs("4", "16Gi", gpu)}],
      },
    });
  }
}
process.stdout.write(JSON.stringify({apiVersion: "v1", kind: "List", items}));
