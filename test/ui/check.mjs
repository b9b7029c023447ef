// SPDX-License-Identifier: Apache-2.0
// What the page draws is what the daemon says: against the real program as `sakkara sandbox` with a
// generated cluster, in Chromium, and its outline in Firefox. Run by test/ui/run.sh.
import assert from "node:assert/strict";
import {execFileSync, spawn, spawnSync} from "node:child_process";
import {appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {dirname, join} from "node:path";
import {fileURLToPath} from "node:url";
import {chromium} from "playwright-core";
import puppeteer from "puppeteer-core";
import {compareStates} from "./states.mjs";
import {deviceCluster, drawClass} from "./classes.mjs";

const [program, chromiumPath, firefoxPath] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const large = Boolean(process.env.SAKKARA_UI_LARGE);
const size = large ? ["5", "25", "40", "500"] : ["2", "4", "10", "32"];
const dir = mkdtempSync(join(tmpdir(), "sakkara-ui-"));
const children = [];
const axe = readFileSync(join(here, "node_modules/axe-core/axe.min.js"), "utf8");
const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];
let failed = 0, passed = 0;

async function test(name, f) {
  if (process.env.ONLY && !name.includes(process.env.ONLY)) return;
  const began = Date.now();
  try {
    const note = await f();
    passed++;
    console.log(`ok    ${name} (${Date.now() - began} ms)${note ? ": " + note : ""}`);
  } catch (e) {
    failed++;
    console.log(`FAIL  ${name}: ${e.stack || e}`);
  }
}
const sleep = ms => new Promise(r => setTimeout(r, ms));
async function until(what, f, ms = 60000) { /* how long it takes is no matter: machines are shared */
  const end = Date.now() + ms;
  for (;;) {
    const v = await f();
    if (v) return v;
    if (Date.now() > end) throw new Error("timed out: " + what);
    await sleep(40);
  }
}
const get = async url => (await fetch(url)).json();

/* ---- the program ---- */

function start(args, pattern) {
  const child = spawn(program, args, {cwd: dir, stdio: ["ignore", "pipe", "pipe"]});
  const out = {text: "", child};
  children.push(child);
  child.stdout.on("data", d => { out.text += d; });
  child.stderr.on("data", d => { out.text += d; });
  return until(args[0] + " to start", () => pattern.test(out.text) && out);
}
const line = (out, name) => new RegExp("^" + name + ": (\\S+)$", "m").exec(out.text)[1];

/* Waits until the picture does not change any more. */
async function settle(admin, view = "gangs") {
  let last = -1, since = Date.now();
  return until("the cluster to settle", async () => {
    const p = await get(`${admin}/v1/picture?view=${view}`).catch(() => null);
    if (!p || p.kind !== "Picture") return null;
    if (p.version !== last) { last = p.version; since = Date.now(); }
    return Date.now() - since > (large ? 4000 : 1200) && p;
  }, large ? 400000 : 120000);
}

/* ---- the page ---- */

async function open(browser, url, options = {}) {
  const page = await browser.newPage({viewport: {width: 1600, height: 1000}, ...options});
  page.problems = [];
  page.setDefaultTimeout(60000);
  page.on("console", m => { if (m.type() === "error") page.problems.push("console: " + m.text()); });
  page.on("pageerror", e => page.problems.push("error: " + e.message));
  page.on("request", r => {
    if (!/^(http:\/\/(127\.0\.0\.1|localhost):|data:|blob:|file:)/.test(r.url())) page.problems.push("foreign: " + r.url());
  });
  await page.goto(url);
  await page.waitForFunction(() => window.sakkara && window.sakkara.picture());
  return page;
}
const model = page => page.evaluate(() => window.sakkara.picture());
/* A field without a value is null in a change, and absent in a document. */
const plain = ({tree, groups, decisions}) => JSON.parse(JSON.stringify({tree, groups, decisions}, (_, v) => v ?? undefined));

/* The page's picture, the daemon's, and what read() gives: all of one version, whatever the daemon does in between. */
function still(page, admin, view = "gangs", read = () => null) {
  const picture = () => get(`${admin}/v1/picture?view=${view}`), stamp = p => p.version + " " + p.time;
  return until("the page to have the daemon's version", async () => {
    const b = await picture(), more = await read(), a = await model(page);
    return stamp(a) === stamp(b) && stamp(await picture()) === stamp(b) && [a, b, more];
  });
}

async function same(page, admin, view) {
  const [a, b] = await still(page, admin, view);
  assert.deepEqual(plain(a), plain(b));
}

async function noAxe(page, where) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => window.axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21aa"]}));
  assert.deepEqual(found.violations.map(v => `${v.id}: ${v.nodes.slice(0, 3).map(n => n.html.slice(0, 120)).join(" | ")}`), [], where);
}

/* Axe is injected by the debugger, which the policy does not concern. */
async function run() {
  writeFileSync(join(dir, "cluster.json"), execFileSync("node", [join(here, "cluster.mjs"), ...size], {maxBuffer: 1 << 28}));
  const sandbox = await start(["sandbox", "-f", "cluster.json", "--kubeconfig-out", "kubeconfig"], /^admin: /m);
  const admin = line(sandbox, "admin"), api = line(sandbox, "sandbox");
  await settle(admin);
  const browser = await chromium.launch({executablePath: chromiumPath, args: flags, timeout: 120000});
  const page = await open(browser, admin + "/ui/", {colorScheme: "light"});

  await test("what is drawn is what /v1 says", async () => {
    const [p, b, [tree, list]] = await still(page, admin, "gangs", () => Promise.all([get(admin + "/v1/tree"), get(admin + "/v1/groups")]));
    assert.deepEqual(plain(p), plain(b));
    const leaves = new Map();
    const walk = u => u.children ? u.children.forEach(walk) : leaves.set(u.name, u);
    walk(tree.root);
    assert.equal(leaves.size, p.tree.nodes.length);
    for (const [, name, state, allocatable, used, slots, seats] of p.tree.nodes) {
      const u = leaves.get(name), r = tree.resource, pods = {};
      assert.deepEqual([u.allocatable[r], u.charged[r], u.slots, !u.exists ? "Missing" : !u.ready ? "NotReady" : u.cordoned ? "Cordoned" : "Ready"],
        [allocatable, used, slots, state], name);
      for (let k = 0; k < seats.length; k += 3) {
        const g = p.groups[seats[k]], key = g.namespace + "/" + g.name;
        if (seats[k + 2] >= 0) pods[key] = (pods[key] || 0) + Math.abs(seats[k + 1]);
      }
      assert.deepEqual(pods, Object.fromEntries(u.groups.map(g => [g.namespace + "/" + g.name, g.pods + (g.held || 0)])), name);
    }
    const drawn = Object.fromEntries(p.groups.filter(Boolean).map(g => [g.namespace + "/" + g.name, [g.status, g.reason, g.sentence, g.size, g.present, g.bound, g.priority]]));
    const said = Object.fromEntries(list.items.map(g => [g.namespace + "/" + g.name, [g.status, g.reason, g.message, g.size, g.pods.present, g.pods.bound, g.priority]]));
    assert.deepEqual(drawn, said);
    return `${p.tree.nodes.length} nodes, ${list.items.length} groups`;
  });

  await test("the page keeps its budget", async () => { /* bytes; lines of script and style that are not empty */
    const text = await (await fetch(admin + "/ui/")).text();
    const lines = tag => new RegExp(`<${tag}>\n(.*?)</${tag}>`, "s").exec(text)[1].split("\n").filter(l => l.trim()).length;
    assert.ok(Buffer.byteLength(text) <= 60 * 1024 && lines("script") <= 900 && lines("style") <= 120);
    return `${Buffer.byteLength(text)} bytes, ${lines("script")} and ${lines("style")} lines`;
  });

  await test("sampled pixels have the colour of their group", async () => {
    const [right, all] = await page.evaluate(() => {
      const s = window.sakkara, p = s.picture(), base = document.getElementById("base"), c = base.getContext("2d"), ratio = window.devicePixelRatio;
      const top = document.getElementById("scroll").scrollTop, height = base.clientHeight;
      let right_ = 0, n = 0;
      s.paint();
      const order = p.tree.nodes.map((_, i) => i).sort((a, b) => (a * 7919) % 10007 - (b * 7919) % 10007);
      for (const i of order) {
        const [, , state, allocatable, , , seats] = p.tree.nodes[i], [x, y, w, h] = s.place(i);
        if (state !== "Ready" || !seats.length || n >= 200 || y - top < 0 || y - top + h > height) continue;
        const head = h >= 48 ? 22 : 0, d = seats[2] / allocatable * (h - head);
        if (d < 6) continue;
        n++;
        const px = c.getImageData(Math.round((x + 4) * ratio), Math.round((y - top + h - Math.min(4, d / 2)) * ratio), 1, 1).data;
        const want = s.hueOf(p.groups[seats[0]]).slice(1).match(/../g).map(v => parseInt(v, 16));
        right_ += want.every((v, k) => Math.abs(v - px[k]) < 12);
      }
      return [right_, n];
    });
    assert.ok(all > 40 && right >= all * 0.96, `${right} of ${all}`);
    return `${right} of ${all}`;
  });

  await test("a deleted pod leaves the map", async () => {
    const p = await model(page), g = p.groups.find(x => x && x.status === "Bound" && x.size >= 8);
    const key = g.namespace + "/" + g.name;
    const pod = (await get(`${admin}/v1/groups/${key}`)).members[0].name, began = Date.now();
    await fetch(`${api}/api/v1/namespaces/${g.namespace}/pods/${pod}`, {method: "DELETE"});
    await until("the pod to leave", () => page.evaluate(k => {
      const x = window.sakkara.picture().groups.find(v => v && v.namespace + "/" + v.name === k);
      return x.bound < x.size;
    }, key));
    return `after ${Date.now() - began} ms`;
  });

  await test("a hundred changes add up to a fresh picture", async () => {
    const p = await model(page), nodes = p.tree.nodes.map(n => n[1]);
    const bound = p.groups.filter(g => g && g.status === "Bound");
    for (let i = 0; i < 100; i++) {
      if (i % 3 === 0) {
        await fetch(`${api}/api/v1/nodes/${nodes[i * 7 % nodes.length]}`, {
          method: "PATCH", headers: {"Content-Type": "application/merge-patch+json"}, body: JSON.stringify({spec: {unschedulable: i % 2 === 0}})});
      } else {
        const g = bound[i % bound.length];
        const members = (await get(`${admin}/v1/groups/${g.namespace}/${g.name}`)).members;
        if (members.length) await fetch(`${api}/api/v1/namespaces/${g.namespace}/pods/${members[i % members.length].name}`, {method: "DELETE"});
      }
    }
    await settle(admin);
    await same(page, admin);
    const changes = (await model(page)).version - p.version;
    assert.ok(changes > 3);
    return `${changes} changes`;
  });

  await test("script stays small", async () => { /* processor time of the page: machines are shared */
    const cdp = await page.context().newCDPSession(page);
    await cdp.send("Performance.enable", {timeDomain: "threadTicks"});
    const spent = async f => {
      const script = async () => (await cdp.send("Performance.getMetrics")).metrics.find(m => m.name === "ScriptDuration").value * 1000;
      const before = await script(), n = await page.evaluate(f);
      return (await script() - before) / n;
    };
    const all = await spent(() => new Promise(done => {
      let n = 0;
      const frame = () => { window.sakkara.paint(); if (++n === 60) done(n); else requestAnimationFrame(frame); };
      frame();
    }));
    const change = await spent(() => new Promise(done => {
      let n = 0;
      const next = () => { /* as it is: the daemon's own changes stay */
        const p = window.sakkara.picture(), rows = p.tree.nodes.slice(0, 40).map((x, i) => [i, x[2], x[4], x[5], x[6]]);
        window.sakkara.change({version: p.version, time: p.time, nodes: rows, groups: [], decisions: []});
        if (++n === 60) done(n); else setTimeout(next, 0);
      };
      next();
    }));
    if (large) assert.ok(change <= 10 && all <= 10, `a change ${change} ms, all drawn anew ${all} ms`);
    return `a change ${change.toFixed(2)} ms, all drawn anew ${all.toFixed(1)} ms (means)`;
  });

  await test("ten thousand changes leave no memory behind", async () => {
    const other = await open(browser, admin + "/ui/"), cdp = await other.context().newCDPSession(other);
    const heap = async () => {
      await cdp.send("HeapProfiler.collectGarbage");
      return (await cdp.send("Runtime.getHeapUsage")).usedSize / 1e6;
    };
    const changes = n => other.evaluate(k => {
      const p = window.sakkara.picture();
      for (let i = 0; i < k; i++) {
        const [state, used, slots, seats] = [2, 4, 5, 6].map(x => p.tree.nodes[i % p.tree.nodes.length][x]);
        window.sakkara.change({version: p.version, time: p.time, nodes: [[i % p.tree.nodes.length, state, used, slots, [...seats]]], groups: [], decisions: []});
      }
    }, n);
    await changes(1000); /* what may be taken back has its full length */
    const before = await heap();
    await changes(10000);
    const after = await heap();
    assert.ok(after - before < 2 && after < 40, `${before} MB, then ${after} MB`);
    await other.close();
    return `${before.toFixed(1)} MB before, ${after.toFixed(1)} MB after`;
  });

  await test("keys reach every rack, node and group", async () => {
    await page.focus("#scroll");
    const [racks, nodes] = await page.evaluate(() => [window.sakkara.racks().length, window.sakkara.picture().tree.nodes.length]);
    await page.keyboard.press("Home");
    const seen = new Set();
    for (let i = 0; i < racks; i++) {
      seen.add(await page.evaluate(() => window.sakkara.picture().tree.nodes[window.sakkara.cursor()][0]));
      await page.keyboard.press("PageDown");
    }
    assert.equal(seen.size, racks);
    await page.keyboard.press("Home");
    const visited = new Set();
    for (let i = 0; i < Math.min(nodes, 300); i++) {
      visited.add(await page.evaluate(() => window.sakkara.cursor()));
      await page.keyboard.press("ArrowRight");
    }
    assert.equal(visited.size, Math.min(nodes, 300));
    assert.match(await page.textContent("#said"), /^node-\d+ in zone-\d\/rack-\d+: \d+ of \d+ nvidia.com\/gpu used, \d+ slots?/);
    for (let i = 0; i < nodes; i++) {
      await page.keyboard.press("ArrowLeft");
      if (await page.evaluate(() => window.sakkara.picture().tree.nodes[window.sakkara.cursor()][6].length > 0)) break;
    }
    await page.keyboard.press("Enter");
    assert.ok(await page.evaluate(() => window.sakkara.chosen()));
    await page.keyboard.press("Escape");
    assert.equal(await page.evaluate(() => window.sakkara.chosen()), null);
    const buttons = await page.$$eval("#list button", list => list.length);
    const groups = (await model(page)).groups.filter(Boolean).length;
    assert.equal(buttons, groups);
    await page.keyboard.press("/");
    assert.equal(await page.evaluate(() => document.activeElement.id), "filter");
    await page.keyboard.press("Tab");
    const reached = new Set();
    for (let i = 0; i < Math.min(buttons + 8, 140); i++) {
      const g = await page.evaluate(() => document.activeElement.dataset.group);
      if (g !== undefined) reached.add(g);
      await page.keyboard.press("Tab");
    }
    assert.ok(reached.size >= Math.min(buttons, 130), `${reached.size} of ${buttons}`);
  });

  await test("a group's pane has the text of explain", async () => {
    const g = (await model(page)).groups.find(x => x && x.reason && x.bound < x.size), key = g.namespace + "/" + g.name;
    const steady = t => t.trim().replace(/\b(\d+[dhms])+\b/g, "T");
    const [, , [drawn, text, command]] = await still(page, admin, "gangs", async () => {
      await page.evaluate(k => { const s = window.sakkara; if (s.chosen()) s.choose(s.chosen()); s.choose(k); }, key);
      await page.waitForSelector("#explain");
      return [await page.textContent("#explain"), await (await fetch(`${admin}/v1/explain/${key}?as=text`)).text(),
        spawnSync(program, ["explain", g.name, "-n", g.namespace, "--server", admin], {encoding: "utf8"})];
    });
    assert.equal(steady(drawn), steady(text));
    assert.equal(command.status, 4); /* not placeable */
    assert.equal(steady(command.stdout), steady(text));
  });

  await test("what would help can be tried, and nothing is written", async () => {
    const versions = async () => (await get(api + "/api/v1/configmaps")).items.map(m => m.metadata.name + m.metadata.resourceVersion);
    const atRest = () => until("rest: the ways out of all groups are written", async () => { /* and none again for a minute */
      const last = await versions();
      await sleep(2500);
      return (await versions()).join() === last.join() && last;
    }, 60000);
    for (let again = 2; ; again--) { /* on a busy machine that minute may end meanwhile */
      const before = await atRest();
      await page.waitForSelector(".tries button");
      await page.evaluate(() => { const told = document.getElementById("tried"); if (told) told.textContent = ""; });
      await page.click(".tries button");
      await until("an answer", async () => /^(Yes|No): .*othing is written\.$/.test(await page.textContent("#tried")));
      const {units, yes} = await page.evaluate(() => ({units: window.sakkara.tried().units, yes: document.getElementById("tried").textContent.startsWith("Yes")}));
      assert.equal(units.length > 0, yes);
      assert.ok(units.every(([i, pods]) => i >= 0 && pods > 0));
      const after = await versions();
      if (again === 0 || after.join() === before.join()) {
        assert.deepEqual(after, before);
        break;
      }
    }
    return page.textContent("#tried");
  });

  await test("axe finds nothing in light and dark, with pane, table and keys", async () => {
    await noAxe(page, "light, pane");
    await page.screenshot({path: join(here, "light-pane.png")});
    await page.emulateMedia({colorScheme: "dark"});
    await noAxe(page, "dark, pane");
    await page.keyboard.press("Escape");
    await page.screenshot({path: join(here, "dark.png")});
    await page.click("#tabular");
    await noAxe(page, "dark, table");
    const [p, cells] = await page.evaluate(() => [window.sakkara.picture(), [...document.querySelectorAll("#table tbody tr")].map(r => [...r.children].map(c => c.textContent))]);
    assert.equal(cells.length, p.tree.nodes.length);
    cells.forEach((row, i) => { assert.equal(row[0], p.tree.nodes[i][1]); assert.equal(row[2], p.tree.nodes[i][2]); assert.equal(row[4], p.tree.nodes[i][5].toLocaleString("en")); });
    await page.click("#tabular");
    await page.click("#help");
    await noAxe(page, "dark, keys");
    await page.keyboard.press("Escape");
    await page.emulateMedia({colorScheme: "light"});
    await noAxe(page, "light");
    await page.screenshot({path: join(here, "light.png")});
  });

  await test("the next hours are what /v1/timeline says, and reserved room has marks", async () => {
    const runs = cells => cells.replace(/(.)\1*/g, "$1"), label = {"limit": "#", "no limit": "?", "reserved": "%", "free": "."};
    const drawn = () => page.$$eval("#table table", ([rows, groups]) => [
      [...rows.tBodies[0].rows].map(r => [r.cells[0].textContent, r.querySelector("[role=img]").ariaLabel.split(", ").map(w => w.replace(/ until .*/, ""))]),
      [...groups.tBodies[0].rows].map(r => [r.cells[1].textContent, r.cells[2].textContent])]);
    let said = {}; /* what the page was told last, by the domain that it asked for */
    const hear = async r => { if (r.url().includes("/v1/timeline?")) said = {[new URL(r.url()).searchParams.get("domain")]: await r.json().catch(() => null)}; };
    page.on("response", hear);
    const compare = domain => until("the timeline of " + (domain || "the root"), async () => {
      const t = said[domain], [rows, groups] = await drawn().catch(() => [[], []]);
      return t && JSON.stringify([t.rows.map(r => [r.name, runs(r.cells)]), t.groups.map(g => [g.namespace + "/" + g.name, g.place])]) ===
        JSON.stringify([rows.map(([name, words]) => [name, words.map(w => label[w]).join("")]), groups]);
    });
    await page.focus("#scroll");
    await page.keyboard.press("h");
    await compare("");
    await noAxe(page, "light, next hours");
    await page.emulateMedia({colorScheme: "dark"});
    await sleep(100);
    await noAxe(page, "dark, next hours");
    await page.emulateMedia({colorScheme: "light"});
    await page.screenshot({path: join(here, "hours.png")});
    await page.click("#table tbody button");
    await compare("zone-0");
    assert.equal((await drawn())[0].length, (await model(page)).tree.domains.filter(d => d[2] === 2 && d[0] === 1).length);
    await page.click("#table thead button");
    await compare("");
    await Promise.all([page.waitForRequest(r => r.url().includes("/v1/timeline?hours=24&")), page.selectOption("#hours", "24")]);
    await page.selectOption("#hours", "4");
    await page.keyboard.press("Escape");
    await page.click("#times");
    page.off("response", hear);
    const [p, , [{groups: [g]}, list]] = await still(page, admin, "gangs",
      () => Promise.all([get(admin + "/v1/timeline"), page.$$eval("#list button", all => all.map(b => b.textContent))]));
    const n = p.groups.findIndex(x => x && x.namespace + "/" + x.name === g.namespace + "/" + g.name);
    const reserved = p.tree.nodes.flatMap(([, , , , , , seats]) => seats.filter((_, k) => k % 3 === 1 && seats[k - 1] === n && seats[k + 1] < 0));
    assert.equal(Math.abs(p.groups[n].start), Date.parse(g.start));
    assert.equal(reserved.reduce((sum, pods) => sum - pods, 0), p.groups[n].size);
    assert.ok(list.some(text => text.includes(g.name) && /starts (by|about) /.test(text)));
    return `${g.name} on ${reserved.length} nodes of ${g.place}`;
  });

  await test("hues and letters stand out in light and dark", async () => {
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({colorScheme});
      await sleep(100);
      const bad = await page.evaluate(() => {
        const s = window.sakkara;
        return s.HUES.flatMap(hue => [[hue + " edge", s.contrast(s.edgeOf(hue), s.colours.well), 3], [hue + " letter", s.contrast(s.inkOn(hue), hue), 4.5]]).filter(([, v, least]) => v < least);
      });
      assert.deepEqual(bad, [], colorScheme);
    }
  });

  await test("names are text, whatever they are", async () => {
    const hostile = await open(browser, admin + "/ui/");
    const evil = "<img src=x onerror=\"window.hacked=1\"></script><script>window.hacked=1</script>";
    await hostile.evaluate(name => {
      const p = JSON.parse(JSON.stringify(window.sakkara.picture()));
      Object.assign(p.groups.find(Boolean), {name, namespace: name, reason: name, sentence: name, rules: name, detail: name});
      p.tree.name = name; p.tree.nodes[0][1] = name; p.tree.domains[1][1] = name;
      window.sakkara.take(p);
      window.sakkara.choose(name + "/" + name);
    }, evil);
    await hostile.click("#tabular");
    await sleep(300);
    assert.equal(await hostile.evaluate(() => window.hacked), undefined);
    assert.equal(await hostile.evaluate(() => document.images.length + document.scripts.length), 2); /* the logo, the script */
    assert.ok((await hostile.textContent("#list")).includes(evil));
    await hostile.close();
  });

  await test("360 px wide, 200 %, filter, colours", async () => {
    const small = await open(browser, admin + "/ui/", {viewport: {width: 360, height: 740}});
    assert.ok(await small.evaluate(() => document.documentElement.scrollWidth) <= 360);
    await small.screenshot({path: join(here, "narrow.png")});
    await small.close();
    const zoomed = await open(browser, admin + "/ui/", {viewport: {width: 800, height: 500}, deviceScaleFactor: 2});
    await zoomed.screenshot({path: join(here, "double.png")});
    await zoomed.close();
    await page.fill("#filter", "team-3");
    await until("the filter", async () => {
      const shown = await page.$$eval("#list button .name", list => list.map(b => b.textContent));
      return shown.length > 0 && shown.every(t => t.includes("team-3"));
    });
    await page.screenshot({path: join(here, "filter.png")});
    await page.fill("#filter", "");
    for (const colour of ["status", "priority", "use", "state", "group"]) {
      await page.selectOption("#colour", colour);
      await page.screenshot({path: join(here, `colour-${colour}.png`)});
    }
  });

  await test("a saved page opens from a file", async () => {
    const path = join(dir, "saved.html");
    let before, b;
    do { /* what a change met halfway is saved again */
      before = await model(page);
      const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save")]);
      await download.saveAs(path);
      b = await model(page);
    } while (before.version !== b.version);
    const file = await open(browser, "file://" + path);
    assert.deepEqual(plain(await model(file)), plain(b));
    assert.match(await file.textContent("#pill"), /^saved /);
    await file.click("#times");
    assert.ok((await file.$$("#table .cells i")).length > 0);
    assert.deepEqual(file.problems, []);
    await file.close();
  });

  await test("recorded states are drawn as they were", () => compareStates(browser, program, process.cwd(), open));

  await test("no console error, no foreign request", () => assert.deepEqual(page.problems, []));
  await page.close();

  /* connections are refused while those of the pages before are taken down */
  const gone = () => until("the pages to be gone", async () => /^sakkara_ui_streams 0$/m.test(await fetch(admin + "/metrics").then(r => r.text(), () => "")));
  await test("a hundred pages follow, the next one is refused", async () => {
    const resident = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${sandbox.child.pid}/status`, "utf8"))[1]) / 1024;
    await gone();
    const before = resident(), ends = [];
    let refused = null;
    while (!refused && ends.length <= 100) {
      const end = new AbortController(), answer = await fetch(admin + "/v1/stream", {signal: end.signal});
      if (answer.status === 200) {
        const reader = answer.body.getReader();
        for (let text = ""; !text.includes("event: full");) text += new TextDecoder().decode((await reader.read()).value);
        ends.push(end);
      } else refused = [answer.status, (await answer.json()).message];
    }
    assert.equal(ends.length, 100);
    assert.deepEqual(refused, [503, "sakkara: 100 pages follow pictures, ui.streams allows no more"]);
    const more = resident() - before;
    ends.forEach(end => end.abort());
    assert.ok(more < 20, `${more} MB more`);
    return `${more.toFixed(1)} MB more`;
  });

  await test("a hundred pages do not delay the answers to kube-scheduler", async () => { /* p99 of filter, both in turn */
    const nodes = (await get(admin + "/v1/picture?view=gangs")).tree.nodes.map(n => n[1]), p99s = [[], []];
    const body = JSON.stringify({Pod: {metadata: {name: "p", namespace: "default", uid: "u"}, spec: {schedulerName: "sakkara", containers: [{name: "c"}]}}, NodeNames: nodes});
    const followers = async () => { /* pages are on other machines: a process that takes in, with what processors have left */
      const child = spawn("nice", ["-n", "19", process.execPath, "-e", `let n = 0;
        const follow = () => {
          const s = require("net").connect(${new URL(admin).port}, "127.0.0.1", () => s.write("GET /v1/stream HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\n\\r\\n"));
          s.once("data", () => { s.resume(); if (++n === 100) console.log("all"); });
          s.once("error", () => {}).once("close", () => setTimeout(follow, 100)); /* refused while those before are taken down */
        };
        for (let i = 0; i < 100; i++) follow();`], {stdio: ["ignore", "pipe", "inherit"]});
      children.push(child);
      await new Promise(done => child.stdout.once("data", done));
      return child;
    };
    const block = async into => {
      const times = [];
      let changes = 0, open = true;
      const change = async () => {
        for (; open; changes++) {
          await (await fetch(`${api}/api/v1/nodes/${nodes[changes % 40]}`, {
            method: "PATCH", headers: {"Content-Type": "application/merge-patch+json"}, body: JSON.stringify({spec: {unschedulable: changes % 80 < 40}})})).arrayBuffer();
          await sleep(100);
        }
      };
      const changing = change();
      for (let i = 0; i < (large ? 400 : 100) || changes < 3; i++) {
        const began = performance.now(), answer = await (await fetch(line(sandbox, "extender") + "/filter", {method: "POST", body})).json();
        times.push(performance.now() - began);
        assert.equal(answer.NodeNames.length, nodes.length);
      }
      open = false;
      await changing;
      into.push(times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)]);
    };
    const rounds = large ? 9 : 3;
    for (let i = 0; i < rounds; i++) {
      await gone();
      await block(p99s[0]);
      const child = await followers();
      await block(p99s[1]);
      child.kill();
      await new Promise(done => child.once("exit", done));
    }
    const [alone, beside] = p99s.map(list => list.sort((a, b) => a - b)[rounds >> 1]);
    if (large) assert.ok(beside <= alone * 1.1, `${beside} ms beside a hundred pages, ${alone} ms without`);
    return `${alone.toFixed(2)} ms without, ${beside.toFixed(2)} ms beside them (medians)`;
  });

  await test("a killed daemon: connecting at once, live again without a reload", async () => {
    /* without limits: its pods never start, so that ends would move each second */
    writeFileSync(join(dir, "endless.json"), readFileSync(join(dir, "cluster.json"), "utf8").replace(/,"run-limit":"\dh"/g, ""));
    const plane = await start(["sandbox", "-f", "endless.json", "--kubeconfig-out", "kubeconfig2", "--no-daemon"], /^sandbox: /m);
    const port = 20000 + process.pid % 12000; /* below those that the system gives */
    writeFileSync(join(dir, "serve.yaml"), `apiVersion: sakkara/v1\nkind: SakkaraConfiguration\nadmin: {listen: "127.0.0.1:${port}"}\n` +
      "extender: {listen: \"127.0.0.1:0\", bindListen: \"127.0.0.1:0\"}\n");
    const serve = () => start(["serve", "--config", "serve.yaml", "--kubeconfig", "kubeconfig2"], /Daemon started/);
    let daemon = await serve();
    const at = `http://127.0.0.1:${port}`;
    await settle(at);
    const live = await open(browser, at + "/ui/");
    daemon.child.kill("SIGKILL");
    const began = Date.now();
    await until("connecting", async () => (await live.textContent("#pill")) === "connecting");
    const noticed = Date.now() - began;
    await fetch(`${line(plane, "sandbox")}/api/v1/nodes/${(await model(live)).tree.nodes[0][1]}`, {
      method: "PATCH", headers: {"Content-Type": "application/merge-patch+json"}, body: JSON.stringify({spec: {unschedulable: true}})});
    daemon = await serve();
    await until("live again", async () => (await live.textContent("#pill")) === "live");
    await settle(at);
    await same(live, at);
    assert.equal((await model(live)).tree.nodes[0][2], "Cordoned");
    await live.close();
    daemon.child.kill("SIGTERM");
    return `noticed after ${noticed} ms`;
  });

  await test("the other schedulers have tabs in the same panes", async () => {
    writeFileSync(join(dir, "all.yaml"), "apiVersion: sakkara/v1\nkind: SakkaraConfiguration\nocm: {enabled: true}\nkarmada: {enabled: true}\n" +
      "spotmix: {enabled: true, listen: \"127.0.0.1:0\"}\n");
    const all = await start(["sandbox", "--config", "all.yaml", "--kubeconfig-out", "kubeconfig3"], /^admin: /m);
    const to = line(all, "admin"), server = line(all, "sandbox");
    const fleet = JSON.parse(execFileSync("node", [join(here, "fleet.mjs")], {maxBuffer: 1 << 26}));
    const plural = {ManagedCluster: "managedclusters", Cluster: "clusters", ManagedClusterSet: "managedclustersets", ManagedClusterSetBinding: "managedclustersetbindings",
      Placement: "placements", ResourceBinding: "resourcebindings", Namespace: "namespaces"};
    for (const o of fleet.items) {
      const base = o.apiVersion.includes("/") ? "/apis/" + o.apiVersion : "/api/" + o.apiVersion, ns = o.metadata.namespace;
      const url = server + base + (ns ? "/namespaces/" + ns : "") + "/" + plural[o.kind], headers = {"Content-Type": "application/json"};
      await fetch(url, {method: "POST", headers, body: JSON.stringify(o)});
      if (o.status) {
        await fetch(`${url}/${o.metadata.name}/status`, {method: "PATCH", headers: {"Content-Type": "application/merge-patch+json"}, body: JSON.stringify({status: o.status})});
      }
    }
    const tabs = await open(browser, to + "/ui/");
    await until("four tabs", async () => (await tabs.$$("[role=tab]")).length === 4);
    for (const view of ["placements", "bindings"]) {
      await until("all of " + view, async () => {
        const p = await settle(to, view);
        return p.groups.filter(Boolean).length === 5 && p.tree.nodes.length === 40;
      });
      await tabs.click(`[data-view=${view}]`);
      await tabs.waitForFunction(v => window.sakkara.picture() && window.sakkara.picture().view === v, view);
      await same(tabs, to, view);
      await tabs.click("#list button");
      await sleep(300);
      await tabs.screenshot({path: join(here, view + ".png")});
      await noAxe(tabs, view);
    }
    await tabs.click("[data-view=spotmix]");
    await until("no class", async () => !(await tabs.$eval("#empty", e => e.hidden)));
    await tabs.close();
  });

  writeFileSync(join(dir, "devices.json"), deviceCluster());
  const devices = line(await start(["sandbox", "-f", "devices.json", "--kubeconfig-out", "kubeconfig4"], /^admin: /m), "admin");
  await test("classes of devices are chosen by keys and drawn", async () => {
    await until("the gang", async () => (await settle(devices)).groups.some(g => g && g.status === "Bound"));
    const narrow = await open(browser, devices + "/ui/", {viewport: {width: 360, height: 740}});
    const note = await drawClass(narrow, devices, until);
    assert.ok(await narrow.evaluate(() => document.documentElement.scrollWidth) <= 360);
    await narrow.setViewportSize({width: 1600, height: 1000});
    for (const colorScheme of ["light", "dark"]) {
      await narrow.emulateMedia({colorScheme});
      await sleep(100);
      await noAxe(narrow, colorScheme + ", a class");
      await drawClass(narrow, devices, until);
      await narrow.screenshot({path: join(here, `class-${colorScheme}.png`)});
    }
    assert.deepEqual(narrow.problems, []);
    await narrow.close();
    return note;
  });
  await browser.close();

  if (!firefoxPath) {
    console.log("SKIP  Firefox: there is no firefox-esr");
    failed += process.env.CI === "true";
  } else {
    await test("Firefox draws the same", async () => {
      const fox = await puppeteer.launch({browser: "firefox", protocol: "webDriverBiDi", executablePath: firefoxPath, headless: true, timeout: 120000});
      const tab = await fox.newPage(), problems = [];
      tab.setDefaultTimeout(60000);
      tab.on("console", m => { if (m.type() === "error") problems.push(m.text()); });
      tab.on("pageerror", e => problems.push(e.message));
      await tab.goto(admin + "/ui/");
      await tab.waitForFunction(() => window.sakkara && window.sakkara.picture());
      await same(tab, admin);
      await tab.screenshot({path: join(here, "firefox.png")});
      assert.deepEqual(problems, []);
      await fox.close();
    });
    await test("Firefox draws classes of devices", async () => {
      const fox = await puppeteer.launch({browser: "firefox", protocol: "webDriverBiDi", executablePath: firefoxPath, headless: true});
      try {
        const tab = await fox.newPage();
        await tab.goto(devices + "/ui/");
        await tab.waitForFunction(() => window.sakkara && window.sakkara.picture(), {timeout: 30000});
        return await drawClass(tab, devices, until);
      } finally {
        await fox.close();
      }
    });
  }
}

try {
  await run();
} catch (e) {
  failed++;
  console.log(e.stack || e);
} finally {
  for (const c of children) c.kill("SIGTERM");
  await sleep(300);
  rmSync(dir, {recursive: true, force: true});
}
if (process.env.SKR_RESULTS) appendFileSync(process.env.SKR_RESULTS, `${passed} ${failed}\n`);
console.log(failed ? `ui-check: ${failed} failed` : "ui-check: passed");
process.exit(failed ? 1 : 0);
