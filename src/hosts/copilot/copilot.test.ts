import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryWith } from "../../../test/support/git-repository.ts";
import { runOrder } from "../../../test/support/run-order.ts";
import { plainStarter } from "../program/start-agent.ts";
import { copilotHost } from "./copilot.ts";
import { copilotSettings } from "./settings.ts";

const FIXTURES = join(import.meta.dirname, "../../../test/fixtures/hosts");
const RUNNER = join(FIXTURES, "copilot-runner.mjs");

/** An environment without Copilot, plus these settings. */
const bare = (settings: NodeJS.ProcessEnv) => ({ PATH: "/usr/bin:/bin", HOME: "/nowhere", ...settings });
const host = (settings: NodeJS.ProcessEnv) => {
  const env = bare(settings);
  return copilotHost(env, plainStarter(env));
};

test("a runner gets the request and its lines become events", async () => {
  const root = repositoryWith({ "a.txt": "" });
  const settings = {
    ABP_COPILOT_TRANSPORT: "legacy",
    ABP_COPILOT_RUNNER: process.execPath,
    ABP_COPILOT_RUNNER_ARGS: `["${RUNNER}"]`,
  };
  const { end } = await runOrder({
    root,
    openHost: host(settings),
    env: { NOTE: "x", MY_API_KEY: "sk-live-secret-123" },
  });
  expect(end.receipt.trace.slice(1, -1).map((event) => [event.type, "text" in event ? event.text : ""])).toEqual([
    ["assistant_delta", "a plain line\n"],
    ["assistant_delta", "one "],
    ["tool_call", ""],
    ["tool_result", ""],
    ["warning", ""],
    ["assistant_message", "done"],
    ["warning", ""],
    ["warning", ""],
  ]);
  expect(end.receipt.trace.at(-2)).toMatchObject({ message: "Copilot did not report over legacy: version, program" });
  expect([
    end.exitCode,
    end.receipt.usage.input_tokens,
    end.receipt.usage.output_tokens,
    end.receipt.usage.estimated_cost_usd,
  ]).toEqual([0, 7, 3, 0.5]);
  expect(end.facts.guard).toMatchObject({ held: false, calls_not_held: ["bash t1"] });
  const request = JSON.parse(readFileSync(join(root, "request.json"), "utf8"));
  expect(Object.keys(request).toSorted()).toEqual(
    "availableTools context env excludedTools mcpServers model policy prompt raw_request reasoningEffort request_id streaming systemMessage workspace_root".split(
      " ",
    ),
  );
  expect(JSON.stringify(request)).not.toContain("sk-live-secret-123");
});

test("a runner that fails is a failed run that says so", async () => {
  const settings = {
    ABP_COPILOT_TRANSPORT: "legacy",
    ABP_COPILOT_CMD: process.execPath,
    ABP_COPILOT_ARGS: `'${RUNNER}'`,
  };
  const { end } = await runOrder({
    openHost: host(settings),
    env: { RUNNER_EXIT: "3" },
  });
  expect([end.exitCode, end.receipt.outcome]).toEqual([1, "failed"]);
  expect(end.receipt.trace).toContainEqual(
    expect.objectContaining({ type: "error", message: "the runner exited: exit code 3" }),
  );
});

test("an adapter of the older kind asks before each call, and a denied one does not happen", async () => {
  const settings = { ABP_COPILOT_ADAPTER_MODULE: join(FIXTURES, "copilot-adapter.cjs") };
  const { end } = await runOrder({ openHost: host(settings) });
  expect(end.facts.guard.decisions).toEqual({ allow: 1, ask: 0, deny: 1 });
  expect(end.receipt.trace).toContainEqual(expect.objectContaining({ type: "warning", message: "denied is null" }));
});

test("ways that cannot be gone are said, and the next one is gone", async () => {
  const settings = {
    ABP_COPILOT_SDK_MODULE: "/no/such/sdk.js",
    ABP_COPILOT_RUNNER: process.execPath,
    ABP_COPILOT_RUNNER_ARGS: `'${RUNNER}'`,
  };
  const { end } = await runOrder({ openHost: host(settings) });
  const warnings = end.receipt.trace.flatMap((event) =>
    event.type === "warning" ? [event.message.split(":")[0]] : [],
  );
  expect([end.exitCode, warnings.slice(0, 2)]).toEqual([
    0,
    ["cannot reach Copilot through sdk", "cannot reach Copilot through acp"],
  ]);
});

test("with nothing configured the run is partial and explains itself; a named way fails as itself", async () => {
  const nothing = await runOrder({
    openHost: host({ ABP_COPILOT_SDK_MODULE: "/no/such/sdk.js" }),
  });
  expect([nothing.end.exitCode, nothing.end.receipt.outcome]).toEqual([1, "partial"]);
  const named = await runOrder({
    openHost: host({ ABP_COPILOT_TRANSPORT: "sdk", ABP_COPILOT_SDK_MODULE: "/no/such/sdk.js" }),
  });
  expect([named.end.exitCode, named.end.because.includes("/no/such/sdk.js")]).toEqual([1, true]);
});

test("settings are read as the ancestor reads them, and wrong ones are refused", () => {
  expect(copilotSettings({ ABP_COPILOT_PROTOCOL: "acp" }).transports).toEqual(["acp"]);
  expect(copilotSettings({ ABP_COPILOT_PROTOCOL: "acp", ABP_COPILOT_TRANSPORT: "auto" }).transports).toEqual([
    "sdk",
    "acp",
    "legacy",
  ]);
  expect(copilotSettings({ ABP_COPILOT_CMD: "c", ABP_COPILOT_ARGS: "a b", ABP_COPILOT_RUNNER: "r" }).runner).toEqual([
    "r",
  ]);
  expect(copilotSettings({ ABP_COPILOT_CMD: "c", ABP_COPILOT_ARGS: '["a b"]' })).toMatchObject({
    runner: ["c", "a b"],
    acpCommand: ["c", "--acp"],
  });
  expect(copilotSettings({ ABP_COPILOT_PERMISSION_ALLOW_ALWAYS_TOOLS: '["Write","Bash"]' }).allowAlways).toEqual([
    "Write",
    "Bash",
  ]);
  for (const wrong of [
    { ABP_COPILOT_TRANSPORT: "smoke" },
    { ABP_COPILOT_ACP_PORT: "99999" },
    { ABP_COPILOT_ARGS: "[1]", ABP_COPILOT_CMD: "c" },
  ])
    expect(() => copilotSettings(wrong)).toThrow(/./);
});
