import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryWith } from "../../../test/support/git-repository.ts";
import { runParts, workOrder } from "../../../test/support/run-order.ts";
import type { RunEnd } from "../../receipts/run/run-setup.ts";
import { runWorkOrder } from "../../receipts/run/run-work-order.ts";
import type { WorkOrder } from "../../contract/work-order.ts";
import { plainStarter } from "../program/start-agent.ts";
import { copilotHost } from "./copilot.ts";

const AGENT = join(import.meta.dirname, "../../../test/fixtures/hosts/acp-agent.ts");

interface Wanted {
  readonly task?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly words?: readonly string[];
  readonly config?: Partial<WorkOrder["config"]>;
  readonly approve?: readonly string[];
}

/** A run of Copilot over ACP, with a small agent in Copilot's place. */
async function runTask(
  root: string,
  { task = ["say nothing"], env = {}, words = [], config, approve = [] }: Wanted,
): Promise<RunEnd> {
  const settings = {
    PATH: "/usr/bin:/bin",
    HOME: "/nowhere",
    ABP_COPILOT_TRANSPORT: "acp",
    ABP_COPILOT_CMD: process.execPath,
    ABP_COPILOT_ACP_ARGS: JSON.stringify([AGENT, ...words]),
    ...env,
  };
  const openHost = copilotHost(settings, plainStarter(settings));
  const order = workOrder({ root, policy: { require_approval_for: [...approve] } });
  const whole = { ...order, task: task.join("\n"), config: { ...order.config, ...config } };
  const steps = await Array.fromAsync(runWorkOrder(whole, runParts({ root, openHost })));
  const end = steps.at(-1);
  if (end?.type !== "run-end") throw new Error("no end");
  return end;
}

const messages = ({ receipt }: RunEnd, kind: "warning" | "assistant_message") =>
  receipt.trace.flatMap((event) => (event.type === kind ? ["text" in event ? event.text : event.message] : []));

test.each([
  ["execute", ["execute"]],
  ["bash in another spelling", ["Bash"]],
])("an approval that the user gave in advance, for %s, answers a question and no denial", async (_, tools) => {
  const root = repositoryWith({ "a.txt": "" });
  const env = { ABP_COPILOT_PERMISSION_ALLOW_ALWAYS_TOOLS: JSON.stringify(tools) };
  const task = ["ask-run touch made.txt", "ask-run touch /etc/signalbox-was-here", "say never"];
  const end = await runTask(root, { task, env, approve: ["execute"] });
  expect([existsSync(join(root, "made.txt")), existsSync("/etc/signalbox-was-here")]).toEqual([true, false]);
  expect([end.exitCode, end.facts.guard.decisions]).toEqual([3, { allow: 1, ask: 0, deny: 1 }]);
});

test("without it, or for another tool, what needs an approval is denied", async () => {
  const root = repositoryWith({ "a.txt": "" });
  const env = { ABP_COPILOT_PERMISSION_ALLOW_ALWAYS_TOOLS: "write" };
  const end = await runTask(root, { task: ["ask-run touch made.txt"], env, approve: ["execute"] });
  expect([end.exitCode, existsSync(join(root, "made.txt"))]).toEqual([3, false]);
});

test("passthrough is in the receipt: the mode, and with each event the message behind it", async () => {
  const vendor = { abp: { mode: "passthrough", request: { prompt: "say hi \nsay there\nask-run true\nsay done" } } };
  const { receipt } = await runTask(repositoryWith({ "a.txt": "" }), { config: { vendor } });
  const raw = receipt.trace.flatMap(({ type, ext }) =>
    ext?.["raw_message"] === undefined ? [] : [[type, ext["raw_message"]]],
  );
  expect([receipt.mode, raw]).toMatchObject([
    "passthrough",
    [
      ["assistant_delta", { sessionUpdate: "agent_message_chunk" }],
      ["assistant_delta", { sessionUpdate: "agent_message_chunk" }],
      [
        "assistant_message",
        [{ content: { text: "hi " } }, { sessionUpdate: "agent_message_chunk", content: { text: "there" } }],
      ],
      ["tool_call", { toolCallId: "call-2", kind: "execute" }],
      ["tool_result", { sessionUpdate: "tool_call_update", status: "completed" }],
      ["assistant_delta", { content: { text: "done" } }],
      ["assistant_message", [{ content: { text: "done" } }]],
    ],
  ]);
});

test("to a program with flags of its own, the protocol passes servers and a session, and the rest is named", async () => {
  const copilot = {
    systemMessage: "Be brief.",
    excludedTools: ["a"],
    sessionId: "earlier",
    mcpServers: { t: { command: "x", args: ["y"], env: { A: "b" } }, u: { type: "sse", url: "https://h/" } },
  };
  const servers = [
    { name: "t", command: "x", args: ["y"], env: [{ name: "A", value: "b" }] },
    { name: "u", url: "https://h/", headers: [], type: "sse" },
  ];
  const config = { model: "m", vendor: { copilot } };
  const root = repositoryWith({ "a.txt": "" });
  const end = await runTask(root, { task: ["session"], config, words: ["--loads"] });
  expect(messages(end, "assistant_message")).toEqual([`loaded earlier ${JSON.stringify(servers)}`]);
  expect(messages(end, "warning")).toEqual([
    "not passed on to Copilot over acp: model, systemMessage, excludedTools",
    "Copilot did not report over acp: usage, program",
  ]);
  expect(end.receipt.usage_raw).toMatchObject({ session_id: "earlier" });
  const fresh = await runTask(root, { task: ["session"], config: { vendor: { copilot: { sessionId: "earlier" } } } });
  expect(messages(fresh, "assistant_message")).toEqual(["new []"]);
  expect(messages(fresh, "warning")).toContain("the agent cannot continue a session, so it began a new one");
});
