import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { openFolder } from "../lib/files/open-folder.ts";
import { installFile } from "./install-file.ts";

/** Puts a link to the victim in the place of every file that is being prepared. */
const SWAPPER = `
const { parentPort, workerData: { folder, victim } } = require("node:worker_threads");
const { readdirSync, renameSync, symlinkSync } = require("node:fs");
parentPort.postMessage("ready");
for (let made = 0;;) {
  const name = readdirSync(folder).find((each) => each.startsWith(".signalbox-"));
  if (name === undefined) continue;
  const link = folder + "/link" + made++;
  symlinkSync(victim, link);
  try { renameSync(link, folder + "/" + name); } catch {}
}`;

test("a link that is put in the place of a file being prepared leads nowhere", async () => {
  const root = mkdtempSync(join(tmpdir(), "signalbox-install-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const [victim, staged, folder] = [join(root, "victim"), join(root, "staged"), join(root, "work")];
  mkdirSync(folder);
  writeFileSync(victim, "mine", { mode: 0o600 });
  writeFileSync(staged, Buffer.alloc(4 * 1024 * 1024));
  const swapper = new Worker(SWAPPER, { eval: true, workerData: { folder, victim } });
  onTestFinished(async () => void (await swapper.terminate()));
  await once(swapper, "message");
  for (let round = 0; round < 30; round++) {
    using open = openFolder(root, ["work"], false);
    if (open !== undefined) installFile(open, { name: `file${round}`, staged, mode: 0o777 }, true);
  }
  expect([statSync(victim).mode & 0o777, readFileSync(victim, "utf8")]).toEqual([0o600, "mine"]);
});
