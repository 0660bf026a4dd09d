import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryWith } from "../../../test/support/git-repository.ts";
import { runParts, workOrder } from "../../../test/support/run-order.ts";
import { hasSandbox } from "../../../test/support/sandbox-scene.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { runWorkOrder } from "../../receipts/run/run-work-order.ts";
import type { Policy } from "../../contract/policy.ts";
import { acpHost } from "./acp.ts";

const AGENT = join(import.meta.dirname, "../../../test/fixtures/hosts/acp-agent.ts");

/** Lets a small ACP agent run commands in terminals of ours; returns what it was told about each, and the run's end. */
async function runTask(task: readonly string[], sandbox: Policy["sandbox"], home = tempFolder()) {
  const root = realpathSync(repositoryWith({ "a.txt": "a\n" }));
  const env = { ...process.env, HOME: home };
  const openHost = acpHost({ path: process.execPath, argv: [AGENT] }, env, { name: "small", version: "0" });
  const parts = runParts({ root, openHost });
  const policy = { ...parts.policy, home, sandbox };
  const order = { ...workOrder({ root }), task: task.join("\n") };
  const steps = await Array.fromAsync(runWorkOrder(order, { ...parts, policy }));
  const end = steps.at(-1);
  if (end?.type !== "run-end") throw new Error("no end");
  const told = end.receipt.trace.flatMap((event) => (event.type === "assistant_delta" ? [JSON.parse(event.text)] : []));
  return { root, told, end };
}

test("a command that the agent leaves to us is judged, and its output is bounded", async () => {
  const tasks = [
    "terminal echo out; exit 3",
    "terminal-words printf %s-%s a;b $HOME",
    "terminal seq 1 100000",
    "terminal sudo ls",
    `terminal echo "$GIVEN"`,
  ];
  const { told, end } = await runTask(tasks, "off");
  const [line, words, long, ...denied] = told;
  expect(line).toEqual({
    exit: { exitCode: 3, signal: null },
    output: { output: "out\n", truncated: false, exitStatus: { exitCode: 3, signal: null } },
  });
  expect(words).toMatchObject({ output: { output: "a;b-$HOME" } });
  expect(long).toMatchObject({ output: { output: expect.stringMatching(/\n99999\n100000\n$/), truncated: true } });
  expect(long.output.output.length).toBeLessThanOrEqual(2000);
  expect(JSON.stringify(denied)).toMatch(/Blocked `sudo ls`: .*Blocked .*: the variable GIVEN/);
  expect(end.facts.guard.decisions).toEqual({ allow: 3, ask: 0, deny: 2 });
  expect(end.facts.containment).toMatchObject({ contained: false, because: expect.stringContaining("leaves to") });
});

test.skipIf(!hasSandbox)("a command that the agent leaves to us runs in the sandbox", async () => {
  const home = tempFolder();
  mkdirSync(join(home, ".ssh"));
  writeFileSync(join(home, ".ssh/id_key"), "planted");
  const outside = join(home, "outside.txt");
  const reads = `terminal python3 -c "print(open('${home}/.ssh/id_key').read())" || echo no key`;
  const writes = `terminal sh -c 'echo x >>made.txt; echo x >>${outside}' || echo no write`;
  const { root, told } = await runTask([reads, writes, `terminal echo "$GIVEN"`], "auto", home);
  expect(JSON.stringify(told[0])).toContain("no key");
  expect(JSON.stringify(told)).not.toContain("planted");
  expect(told[2]).toMatchObject({ output: { output: "it's\n" } });
  expect([existsSync(outside), readFileSync(join(root, "made.txt"), "utf8")]).toEqual([false, "x\n"]);
});
