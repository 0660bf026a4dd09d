import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AgentEvent } from "../../src/contract/agent-event.ts";
import { type Outcome, signalbox } from "../run-signalbox.ts";
import { realAgent } from "./real-agent.ts";

const SDK = join(import.meta.dirname, ".install/node_modules/@github/copilot-sdk/dist/index.js");
const SCRIPT = {
  turns: [{ shell: "echo made by the agent > made.txt" }, { shell: "cat made.txt" }, { text: "all is written" }],
};
const events = ({ stdout }: Outcome) =>
  stdout
    .trim()
    .split("\n")
    .map((line) => AgentEvent.parse(JSON.parse(line)));

const commands = (trace: readonly AgentEvent[]) =>
  trace.flatMap((event) =>
    event.type === "tool_call" ? [JSON.stringify(event.input).includes("echo made") ? "echo" : "cat"] : [],
  );

test.each([
  ["sdk", []],
  ["acp", []],
  ["legacy", []],
  ["legacy", ["--unguarded", "--param", 'flags=["--allow-all-tools"]']],
] as const)("one task by copilot over %s %j: the same calls, a checked result, a receipt", async (transport, flags) => {
  await using agent = await realAgent("copilot", SCRIPT);
  const env = { ...agent.env, ABP_COPILOT_TRANSPORT: transport, ABP_COPILOT_SDK_MODULE: SDK };
  const args = ["run", "copilot", "write it", "--json", "--accept", "grep -q agent made.txt", ...flags];
  const outcome = await signalbox(args, { cwd: agent.cwd, env });
  const trace = events(outcome);
  expect([outcome.code, outcome.stderr, commands(trace)]).toEqual([0, "", ["echo", "cat"]]);
  expect(trace.at(-1)?.ext).toMatchObject({ verified: "accepted" });
  expect(trace.at(-1)?.ext?.["calls_not_held"]).toHaveLength(flags.length === 0 ? 0 : 2);
  expect(readFileSync(join(agent.cwd, "made.txt"), "utf8")).toBe("made by the agent\n");
});

test.each([
  ["a command that writes outside", { shell: "touch /etc/signalbox-was-here" }],
  ["a command behind a pipe", { shell: "echo x | tee ../signalbox-was-here /etc/signalbox-was-here" }],
])("over the SDK, %s is not carried out, and giving up is exit 3", async (_, turn) => {
  await using agent = await realAgent("copilot", { turns: [turn, { text: "I could not" }] });
  const env = { ...agent.env, ABP_COPILOT_TRANSPORT: "sdk", ABP_COPILOT_SDK_MODULE: SDK };
  const outcome = await signalbox(["run", "copilot", "do it", "--json"], { cwd: agent.cwd, env });
  expect([outcome.code, existsSync("/etc/signalbox-was-here")]).toEqual([3, false]);
});
