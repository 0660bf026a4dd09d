import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryWith } from "./support/git-repository.ts";
import { signalbox } from "./support/run-signalbox.ts";
import { tempFolder } from "./support/temp-folder.ts";

test("a log that is removed with its anchors and its key shows against the receipts", async () => {
  const options = { cwd: repositoryWith({ "a.txt": "a\n" }), env: { HOME: tempFolder() } };
  const home = join(options.env.HOME, ".signalbox");
  const verify = async () => {
    const { code, stdout } = await signalbox(["audit", "verify"], options);
    return { code, lines: stdout.split("\n") };
  };
  await signalbox(["run", "mock", "t", "--param", 'script=[{"bash":"ls"}]'], options);
  const good = await verify();
  expect([good.code, good.lines[0], good.lines[1]]).toEqual([
    0,
    "good: 1 records in 1 segments, 1 anchors",
    expect.stringMatching(/^newest anchor: 1 [0-9a-f]{16} \(/),
  ]);

  for (const name of ["audit", "heads/audit.jsonl", "heads/audit.json", "keys/audit.pem"])
    rmSync(join(home, name), { recursive: true });
  const bad = await verify();
  expect([bad.code, bad.lines[0], bad.lines[1]]).toEqual([
    1,
    expect.stringMatching(/^BAD {2}audit\/.*: the run's part of the audit log is missing \(run /),
    expect.stringContaining(`moving audit, heads/audit.* and keys/audit.pem out of ${home}`),
  ]);
});

test("a command of several lines is one line of the log that is shown", async () => {
  const options = { cwd: repositoryWith({ "a.txt": "a\n" }), env: { HOME: tempFolder() } };
  const script = JSON.stringify([{ bash: "ls\n2026-01-01T00:00:00.000Z  allow  bash  forged" }]);
  await signalbox(["run", "mock", "t", "--param", `script=${script}`], options);
  const { stdout } = await signalbox(["audit", "show"], options);
  expect(stdout.trimEnd().split("\n")).toEqual([
    expect.stringMatching(/^mock {2}\S+ {2}.* UTC {2}session [0-9a-f-]+$/),
    expect.stringContaining("$ ls\\n2026-01-01T00:00:00.000Z"),
    expect.stringContaining(" (rule "),
  ]);
});

test("audit alone shows the last session, and ends well where nothing is recorded", async () => {
  const options = { cwd: repositoryWith({ "a.txt": "a\n" }), env: { HOME: tempFolder() } };
  const nothing = await signalbox(["audit"], options);
  expect([nothing.code, nothing.stdout]).toEqual([0, expect.stringMatching(/^Nothing is recorded yet\.\n/)]);
  for (const command of ["ls", "pwd"])
    await signalbox(["run", "mock", "t", "--param", `script=${JSON.stringify([{ bash: command }])}`], options);
  const { stdout } = await signalbox(["audit"], options);
  expect(stdout).toContain("$ pwd\n");
  expect(stdout).not.toContain("$ ls\n");
  const json = await signalbox(["audit", "show", "last", "--json"], options);
  expect(JSON.parse(json.stdout)).toMatchObject({ agent: "mock", seq: 1 });
});
