import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeFiles } from "./support/git-repository.ts";
import { PROJECT, signalbox } from "./support/run-signalbox.ts";
import { tempFolder, tempRepository } from "./support/temp-folder.ts";

/** What signalbox wrote into its folder at commit 7843fa76: a run, a session, a trusted policy, and settings. */
const OLDER: Record<string, string> = JSON.parse(readFileSync(join(PROJECT, "test/fixtures/older-home.json"), "utf8"));

test("the home of an older signalbox is read, used, kept as it is by setup, and removed", async () => {
  const [home, cwd] = [tempFolder(), tempRepository()];
  const folder = join(home, ".signalbox");
  writeFiles(folder, OLDER);
  for (const name of Object.keys(OLDER)) chmodSync(join(folder, name), 0o600);
  const run = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await signalbox(args, { cwd, env: { HOME: home } });
    expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: expect.not.stringContaining("damaged") });
    return stdout;
  };
  expect(await run("receipt", "verify")).toContain("good: 1 receipt");
  expect(await run("audit", "verify")).toContain("good: 1 records");
  expect(await run("runs", "--all")).toContain("complete (0)  hi");
  const [session = ""] = (await run("sessions", "list")).split(" ");
  expect(await run("sessions", "show", session)).toMatch(/make it[^]*Done\./);
  expect(await run("trust", "--list")).toContain("/tmp/older/project/.signalbox/policy.yaml");
  expect(await run("doctor")).toContain("No check failed");
  expect(await run("setup", "--yes")).toContain("nothing was written");
  for (const name of ["settings.yaml", "policy.yaml", "trust.json"])
    expect(readFileSync(join(folder, name), "utf8")).toBe(OLDER[name]);

  await run("run", "mock", "again");
  expect(await run("receipt", "verify")).toContain("good: 2 receipts");
  await run("uninstall", "--all", "--yes");
});
