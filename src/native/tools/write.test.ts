import { chmodSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { asNobody } from "../../../test/support/as-nobody.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import type { Policy } from "../../contract/policy.ts";
import { PRESETS } from "../../guard/presets/presets.ts";
import { realMachine } from "../../guard/machine/real-machine.ts";
import { pathGate } from "./path-gate.ts";
import { writeJudged } from "./write.ts";

let workspace = "";

beforeEach(() => {
  workspace = tempFolder();
  chmodSync(workspace, 0o755);
});

async function put(path: string): Promise<void> {
  const paths = { ...PRESETS.default.paths, writeRoots: ["."] };
  const policy: Policy = { ...PRESETS.default, paths, version: 1, workspaceRoot: workspace, home: "/nowhere" };
  const place = { callId: "1", gate: pathGate(policy, realMachine) };
  await writeJudged(path, place, ({ replace }) => replace(Buffer.from("text")));
}

test("what the system refuses is said with the path that was asked for, and leaves nothing", async () => {
  const closed = join(workspace, "closed");
  mkdirSync(closed);
  chmodSync(closed, 0o555);
  for (const path of [join(closed, "a.txt"), join(closed, "deep/a.txt")])
    await expect(asNobody(() => put(path))).rejects.toThrow(
      new Error(`${path} cannot be written: permission denied; nothing was written`),
    );
  expect(readdirSync(closed)).toEqual([]);
});

test("a folder that this user may not look into is no different", async () => {
  const closed = join(workspace, "closed");
  mkdirSync(closed);
  chmodSync(closed, 0o000);
  await expect(asNobody(() => put("closed/a.txt"))).rejects.toThrow(`${closed}/a.txt`);
  chmodSync(closed, 0o755);
  expect(readdirSync(closed)).toEqual([]);
});

test("a name may be as long as the system takes", async () => {
  const long = "n".repeat(255);
  await put(long);
  expect([readdirSync(workspace), readFileSync(join(workspace, long), "utf8")]).toEqual([[long], "text"]);
});
