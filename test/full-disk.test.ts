import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { before, decisionOf, launchCaller } from "./support/hook-calling-agent.ts";
import { scene } from "./support/native-scene.ts";
import { signalbox } from "./support/run-signalbox.ts";
import { tempRepository } from "./support/temp-folder.ts";

test("an end that cannot be anchored is a warning: the exit code stays the agent's, and no file of the launch is left", async () => {
  const cwd = tempRepository();
  const { outcome, answers, folder, home } = await launchCaller("codex", [before("codex", "ls", cwd)], {
    cwd,
    prepare: (home) => mkdirSync(join(home, ".signalbox/heads/audit.jsonl"), { recursive: true }),
  });
  expect([outcome.code, answers.map((answer) => decisionOf("codex", answer))]).toEqual([0, ["none"]]);
  expect(outcome.stderr).toContain("is not a regular file");
  expect(outcome.stderr).not.toContain("    at ");
  expect([existsSync(folder), readdirSync(join(home, ".signalbox/launches"))]).toEqual([false, []]);
});

test("a key of the log that a full disk left empty is set aside, and the next launch makes another", async () => {
  const cwd = tempRepository();
  const { outcome, home } = await launchCaller("claude", [before("claude", "ls", cwd)], {
    cwd,
    prepare(home) {
      mkdirSync(join(home, ".signalbox/keys"), { recursive: true });
      writeFileSync(join(home, ".signalbox/keys/audit.pem"), "", { mode: 0o600 });
    },
  });
  expect({ ...outcome, stderr: "" }).toEqual({ code: 0, stdout: "", stderr: "" });
  const verified = await signalbox(["audit", "verify"], { cwd, env: { HOME: home } });
  expect(verified.stdout).toContain("good: 1 records in 1 segments, 1 anchors");
  expect(readdirSync(join(home, ".signalbox/keys")).toSorted()).toEqual([
    "audit.pem",
    expect.stringMatching(/^audit\.pem\.\w+\.broken$/),
    "seal.pem",
    "seal.pub.pem",
  ]);
});

test("the engine too takes an end that cannot be anchored for a warning", async () => {
  const { home, run } = await scene({ turns: [{ shell: "echo hello" }, { text: "Done." }] });
  mkdirSync(join(home, ".signalbox/heads/audit.jsonl"), { recursive: true });
  const { code, stdout, stderr } = await run(["native", "-p", "say hello"]);
  expect([code, stdout]).toEqual([0, "Done.\n"]);
  expect(stderr).toContain("is not a regular file");
});
