// SPDX-License-Identifier: Apache-2.0
// Devices of ResourceSlices in the page: six nodes, of which five have four devices each, and a gang of four pods that claim
// two. The class is chosen by keys. What the page has is what /v1/tree says, and the map has the colour of the group.
import assert from "node:assert/strict";

export const CLASS = "class/gpu.example.com";
const api = "resource.k8s.io/v1", nodes = [..."012345"].map(n => "node-" + n);

export function deviceCluster() {
  const items = [
    {apiVersion: api, kind: "DeviceClass", metadata: {name: "gpu.example.com"}, spec: {selectors: [{cel: {expression: 'device.driver == "gpu.example.com"'}}]}},
    {apiVersion: api, kind: "ResourceClaimTemplate", metadata: {name: "two", namespace: "default"},
      spec: {spec: {devices: {requests: [{name: "gpus", exactly: {deviceClassName: "gpu.example.com", count: 2}}]}}}},
    {apiVersion: "v1", kind: "ConfigMap", metadata: {name: "topology", namespace: "default", labels: {"sakkara.topology": ""}},
      data: {name: "devices", "level-names": '["rack","node"]', "resource-names": '["cpu","memory"]', tree: JSON.stringify({"rack-0": {"node-0": {}, "node-1": {}, "node-2": {}}, "rack-1": {"node-3": {}, "node-4": {}, "node-5": {}}})}},
    {apiVersion: "v1", kind: "ConfigMap", metadata: {name: "train", namespace: "default", labels: {"sakkara.group": ""}}, data: {name: "train", size: "4"}},
  ];
  for (const name of nodes) {
    items.push({apiVersion: "v1", kind: "Node", metadata: {name}, status: {allocatable: {cpu: "64", memory: "256Gi", pods: "110"}, conditions: [{type: "Ready", status: "True"}]}});
    if (name !== "node-5") items.push({apiVersion: api, kind: "ResourceSlice", metadata: {name},
      spec: {driver: "gpu.example.com", nodeName: name, pool: {name, generation: 1, resourceSliceCount: 1}, devices: [..."0123"].map(n => ({name: "gpu-" + n}))}});
  }
  for (let i = 0; i < 4; i++) items.push({apiVersion: "v1", kind: "Pod", metadata: {name: "train-" + i, namespace: "default", labels: {"sakkara.group.name": "train"}},
    spec: {schedulerName: "sakkara", resourceClaims: [{name: "gpus", resourceClaimTemplateName: "two"}], containers: [{name: "main", image: "train", resources: {requests: {cpu: "1"}, claims: [{name: "gpus"}]}}]}});
  return JSON.stringify({apiVersion: "v1", kind: "List", items});
}

/* What the page has of the class, and how many nodes with members have their colour at the bottom. In the page. */
function drawn() {
  const s = window.sakkara, p = s.picture(), c = document.getElementById("base").getContext("2d"), ratio = window.devicePixelRatio;
  s.paint();
  const hue = s.hueOf(p.groups[0]).slice(1).match(/../g).map(v => parseInt(v, 16));
  const coloured = p.tree.nodes.filter((n, i) => {
    const [x, y, , h] = s.place(i), px = c.getImageData(Math.round((x + 6) * ratio), Math.round((y + h - 6) * ratio), 1, 1).data;
    return hue.every((v, k) => Math.abs(v - px[k]) < 12);
  });
  return {coloured: coloured.map(n => n[1]), marked: document.getElementById("keys").textContent.includes("none of it"),
    rows: p.tree.nodes.map(([, name, , all, used, slots, seats]) => [name, all, used, slots, seats.filter((v, k) => k % 3 === 2)])};
}

/* page: of playwright or puppeteer, live. until: of check.mjs. */
export async function drawClass(page, admin, until) {
  const chosen = () => page.evaluate(() => window.sakkara.picture() && window.sakkara.picture().tree.resource);
  assert.equal(await chosen(), CLASS); /* no node lists a device */
  await page.focus("#filter");
  while (await page.evaluate(() => document.activeElement.id) !== "resource") { /* by keys alone */
    await page.keyboard.down("Shift");
    await page.keyboard.press("Tab");
    await page.keyboard.up("Shift");
  }
  const choose = async (key, wanted) => {
    await page.keyboard.press(key);
    await until(wanted + " to be drawn", async () => await chosen() === wanted);
    assert.equal(await page.evaluate(() => document.getElementById("resource").value), wanted);
  };
  await choose("ArrowUp", "pods");
  await choose("ArrowDown", CLASS);
  const {root} = await (await fetch(admin + "/v1/tree?resource=" + CLASS)).json();
  const units = root.children.flatMap(r => r.children);
  const shown = await page.evaluate(drawn);
  assert.deepEqual(shown.rows.map(r => r.slice(0, 4)), units.map(u => [u.name, u.allocatable[CLASS] || 0, u.charged[CLASS] || 0, u.slots]));
  assert.deepEqual(shown.rows.map(r => r[4].reduce((a, b) => a + b, 0)), units.map(u => u.charged[CLASS] || 0)); /* each device has its pod */
  assert.equal(shown.rows.reduce((sum, r) => sum + r[2], 0), 8);
  assert.deepEqual(shown.coloured, shown.rows.filter(r => r[2] > 0).map(r => r[0]));
  assert.ok(shown.marked);
  return `8 devices on ${shown.coloured.length} nodes`;
}
