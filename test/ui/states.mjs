// SPDX-License-Identifier: Apache-2.0
// Recorded states and what the page draws of each, as text: the cases of test/simulate as pictures of their end, or of the
// moment in their line "# picture at", taken in by the page in a map of 1200 x 700 pixels. A line a node: colour and height of
// each part from below, "/" if hatched, the letter on it, "x", "-" or "o" (none of the resource) for a mark. Sentences are left out: they have goldens of
// their own. test/ui/states.txt is compared; UPDATE=1 writes it.
import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import {readFileSync, readdirSync, writeFileSync} from "node:fs";
import {join} from "node:path";

const STATES = 83, NODES_MAX = 12;

function pictures(program, root) {
  const out = [], folder = join(root, "test/simulate");
  for (const file of readdirSync(folder).filter(f => f.endsWith(".yaml")).sort()) {
    const objects = execFileSync("awk", ["-f", join(folder, "expand.awk"), join(folder, file)]);
    const [, moment] = /^# picture at (\S+)$/m.exec(readFileSync(join(folder, file), "utf8")) || [];
    let page = "";
    try {
      page = execFileSync(program, ["simulate", "-f", "-", "--picture=html", ...moment ? ["--until", moment] : []], {input: objects, encoding: "utf8", stdio: ["pipe", "pipe", "ignore"]});
    } catch (e) { /* exit code 4: a group does not fit */
      page = e.stdout;
    }
    const [, text] = /id="saved">(.*?)<\/script>/s.exec(page) || [];
    const picture = text && JSON.parse(text);
    if (picture) assert.equal(picture.timeline.kind, "Timeline", file);
    if (picture && picture.tree.nodes.length <= NODES_MAX && picture.groups.length > 0) out.push([file.replace(/\.yaml$/, ""), picture, page]);
    if (out.length === STATES) break;
  }
  return out;
}

/* In the page: what it draws of a picture. */
function drawn(picture) {
  const s = window.sakkara, canvas = document.getElementById("base"), c = canvas.getContext("2d"), parts = [], texts = [], marks = [];
  const near = (x, y) => picture.tree.nodes.findIndex((_, i) => { const [px, py, w, h] = s.place(i); return x >= px - 1 && y >= py - 1 && x < px + w && y < py + h; });
  s.take(picture);
  let path = [], dashed = false, line = null;
  const hooks = {
    beginPath: () => { path = []; line = null; }, rect: (...r) => path.push(r), roundRect: (...r) => path.push(r.slice(0, 4)), moveTo: (x, y) => { line ||= [x, y]; }, lineTo: (x, y) => { line.level ??= y === line[1]; },
    setLineDash: d => { dashed = d.length > 0; },
    fill: () => path.forEach(r => parts.push([c.fillStyle, ...r])),
    clip: () => parts.push(["/", ...path[0]]),
    stroke: () => { const at = dashed ? path[0] : line; if (at) marks.push([dashed ? "-" : line.level ? "o" : "x", ...at]); },
    fillText: (t, x, y) => texts.push([/^×/.test(t) ? t : t[0], x, y]),
  };
  for (const [name, f] of Object.entries(hooks)) c[name] = function (...a) { f(...a); return Object.getPrototypeOf(this)[name].apply(this, a); };
  s.paint();
  for (const name of Object.keys(hooks)) delete c[name];
  const lines = picture.tree.nodes.map(([, name], i) => {
    const [, y, , h] = s.place(i), mine = parts.filter(p => near(p[1] + 1, p[2] + 1) === i && p[0] !== "#ffffff");
    const bars = mine.sort((a, b) => b[2] + b[4] - a[2] - a[4] || b[4] - a[4]).map(([colour, , py, , d]) => colour + " " + Math.round(y + h - py - d) + "+" + Math.round(d));
    const words = texts.filter(t => near(t[1], t[2]) === i && t[2] - y > 20).sort((a, b) => b[2] - a[2] || a[1] - b[1]).map(t => t[0]).join("");
    return ["  " + name + ":", ...bars, words && '"' + words + '"', ...new Set(marks.filter(m => near(m[1], m[2]) === i && !(m[0] === "x" && mine.some(p => p[0] === "/"))).map(m => m[0]))].filter(Boolean).join(" ");
  });
  const list = [...document.querySelectorAll("#list h2, #list button")].map(e => e.tagName === "H2" ? "  [" + /\d*$/.exec(e.textContent) + "]" : "  " + ["name", "n", "why b"].map(k => e.querySelector("." + k)?.textContent.replace(/^\w+ (\d+\/)/, "$1")).filter(Boolean).join(" "));
  return [...list, ...lines].join("\n");
}

export async function compareStates(browser, program, root, open) {
  const all = pictures(program, root), file = join(root, "test/ui/states.txt"), first = "/tmp/sakkara-states-" + process.pid + ".html";
  assert.equal(all.length, STATES);
  writeFileSync(first, all[0][2]);
  const page = await open(browser, "file://" + first, {colorScheme: "light", viewport: {width: 1700, height: 1000}});
  await page.evaluate(() => Object.assign(document.getElementById("scroll").style, {width: "1200px", height: "700px"}));
  await page.waitForFunction(() => document.getElementById("scroll").clientHeight === 700);
  const texts = [];
  for (const [name, picture] of all) texts.push("# " + name + "\n" + await page.evaluate(drawn, picture));
  await page.close();
  const text = texts.join("\n\n") + "\n";
  if (process.env.UPDATE === "1") writeFileSync(file, text);
  const kept = readFileSync(file, "utf8").split("\n"), lines = text.split("\n"), at = lines.findIndex((l, i) => l !== kept[i]);
  assert.ok(at < 0 && kept.length === lines.length, `test/ui/states.txt:${at + 1}: ${kept[at]}\ndrawn: ${lines[at]}`);
  return `${all.length} states`;
}
