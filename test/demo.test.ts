import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PROJECT, SIGNALBOX, signalbox } from "./support/run-signalbox.ts";
import { tempFolder } from "./support/temp-folder.ts";

const IN_ORDER = [
  "| sh",
  "BLOCKED",
  "Done!",
  "NOT ACCEPTED",
  "+  return sum / numbers.length;",
  "ACCEPTED",
  "VERIFIED",
  "Next",
];

test("the demo shows a blocked script, a caught lie, the fix and the receipt, in this order, and leaves nothing", async () => {
  const temporary = tempFolder();
  const { code, stdout } = await signalbox(["demo"], { env: { TMPDIR: temporary, HOME: tempFolder() } });
  const places = IN_ORDER.map((text, index) => stdout.indexOf(text, index === 5 ? stdout.indexOf("+  return") : 0));
  expect([code, places.every((at, index) => at > (places[index - 1] ?? -1))]).toEqual([0, true]);
  expect(stdout).not.toContain("\u001b");
  expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(90);
  expect(readdirSync(temporary).filter((name) => name.startsWith("signalbox-demo-"))).toEqual([]);
}, 60_000);

test("the demo needs no node on PATH: it works with the one that signalbox runs on", async () => {
  const folder = tempFolder();
  const broken = `#!/bin/sh\n[ "$1" = --test ] && exit 127\nexec '${process.execPath}' "$@"\n`;
  writeFileSync(join(folder, "node"), broken, { mode: 0o755 });
  const env = { TMPDIR: tempFolder(), HOME: tempFolder(), PATH: `${folder}:${process.env["PATH"] ?? ""}` };
  const { code, stdout } = await signalbox(["demo"], { env });
  expect([code, stdout.split("\n").length - 1]).toEqual([0, 21]);
}, 60_000);

test("what a kept demo says to type next can be typed, whatever the temporary folder is called", async () => {
  const temporary = join(tempFolder(), "it's a folder");
  mkdirSync(temporary);
  const env = { TMPDIR: temporary, HOME: tempFolder() };
  const { stdout } = await signalbox(["demo", "--keep"], { env });
  const [, said = "false"] = /^ +(SIGNALBOX_HOME=.*)$/m.exec(stdout) ?? [];
  const typed = execFileSync("sh", ["-c", said], {
    encoding: "utf8",
    env: { ...process.env, PATH: `${join(PROJECT, "bin")}:${process.env["PATH"] ?? ""}` },
  });
  expect(typed).toMatch(/^outcome +done, and every check passed$/m);
}, 60_000);

test.runIf(existsSync("/dev/full"))(
  "a demo that cannot be written says so and leaves nothing",
  async () => {
    const temporary = tempFolder();
    const env = { PATH: process.env["PATH"], TMPDIR: temporary, HOME: tempFolder() };
    const run = spawnSync("sh", ["-c", `'${SIGNALBOX}' demo >/dev/full`], { encoding: "utf8", env });
    expect([run.status, run.stderr]).toEqual([
      1,
      "signalbox: cannot write the output (ENOSPC)\n  fix: free some space there\n",
    ]);
    expect(readdirSync(temporary)).toEqual([]);
  },
  60_000,
);

test("a demo whose reader went away ends like any program whose reader did", async () => {
  const env = { TMPDIR: tempFolder(), HOME: tempFolder() };
  expect(await signalbox(["demo"], { env, reader: "true" })).toEqual({ code: 141, stdout: "", stderr: "" });
}, 60_000);

test("the demo does not say yes when a part of it did not happen", async () => {
  // Without git there is no repository, so nothing of it can happen.
  const folder = tempFolder();
  writeFileSync(join(folder, "git"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  const env = { TMPDIR: tempFolder(), HOME: tempFolder(), PATH: `${folder}:${process.env["PATH"] ?? ""}` };
  const { code } = await signalbox(["demo"], { env });
  expect(code).not.toBe(0);
}, 60_000);
