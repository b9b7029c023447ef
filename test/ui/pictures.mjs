// SPDX-License-Identifier: Apache-2.0
// Writes the screenshots of docs/images: make ui-pictures. They are of a sandbox with a generated cluster, so that they
// differ from run to run by their times alone.
import {execFileSync, spawn} from "node:child_process";
import {mkdtempSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {dirname, join} from "node:path";
import {fileURLToPath} from "node:url";
import {chromium} from "playwright-core";

const [program, chromiumPath] = process.argv.slice(2), here = dirname(fileURLToPath(import.meta.url));
const dir = mkdtempSync(join(tmpdir(), "sakkara-pictures-")), images = join(process.cwd(), "docs/images");
const sleep = ms => new Promise(r => setTimeout(r, ms));

async function until(what, f) {
  for (const end = Date.now() + 120000; Date.now() < end; await sleep(200)) {
    const v = await f();
    if (v) return v;
  }
  throw new Error("timed out: " + what);
}

/* Waits for a start, which is the last to come, and then until the picture stays the same for 3 s. */
async function settled(page) {
  let version = -1, since = 0;
  const look = () => page.evaluate(() => [window.sakkara.picture().version, window.sakkara.picture().groups.some(g => g && g.start)]);
  await page.waitForFunction(() => window.sakkara && window.sakkara.picture());
  await until("the cluster to settle", async () => {
    const [now, starts] = await look();
    if (now !== version) { version = now; since = Date.now(); }
    return starts && Date.now() - since > 3000;
  });
}

async function draw(page) {
  const write = async name => { await sleep(300); await page.screenshot({path: join(images, `ui-${name}.png`)}); };
  const zone = await page.evaluate(() => { /* of the room that is reserved */
    const {nodes, domains} = window.sakkara.picture().tree, [rack] = nodes.find(n => n[6].some((v, k) => k % 3 === 2 && v < 0));
    return domains[domains[rack][0]][1];
  });
  await write("light");
  await page.emulateMedia({colorScheme: "dark"});
  await write("dark");
  await page.emulateMedia({colorScheme: "light"});
  await page.click('#list button:has-text(", starts")');
  await page.waitForSelector(".tries button");
  await write("explain");
  await page.keyboard.press("Escape");
  await page.click("#times");
  await page.click(`#table tbody button:text-is("${zone}")`);
  await page.waitForSelector('#table [aria-label*="reserved"]');
  await write("hours");
}

writeFileSync(join(dir, "cluster.json"), execFileSync("node", [join(here, "cluster.mjs"), "3", "8", "12", "22"]));
const child = spawn(program, ["sandbox", "-f", "cluster.json", "--kubeconfig-out", "kubeconfig"], {cwd: dir, stdio: ["ignore", "pipe", "inherit"]});
let text = "";
child.stdout.on("data", d => { text += d; });
try {
  const [, admin] = await until("the sandbox", () => /^admin: (\S+)$/m.exec(text));
  const browser = await chromium.launch({executablePath: chromiumPath, args: ["--no-sandbox", "--disable-gpu"]});
  const page = await browser.newPage({viewport: {width: 1440, height: 900}, colorScheme: "light"});
  await page.goto(admin + "/ui/");
  await settled(page);
  await draw(page);
  await browser.close();
  console.log("docs/images: 4 pictures");
} finally {
  child.kill("SIGTERM");
  await new Promise(done => child.once("exit", done));
  rmSync(dir, {recursive: true, force: true});
}
