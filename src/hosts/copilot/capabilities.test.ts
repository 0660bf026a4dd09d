import { expect, test } from "vitest";
import { copilotCapabilities } from "./copilot.ts";
import { copilotSettings } from "./settings.ts";

const of = (env: NodeJS.ProcessEnv, holds = true) => copilotCapabilities(copilotSettings(env), holds);

test("Copilot's own program with our hooks has everything that Copilot has", () => {
  const native = Object.entries(of({})).filter(([, level]) => level === "native");
  expect(native.map(([name]) => name)).toEqual([
    "streaming",
    "tool_read",
    "tool_write",
    "tool_edit",
    "tool_bash",
    "tool_glob",
    "tool_grep",
    "tool_web_fetch",
    "hooks_pre_tool_use",
    "hooks_post_tool_use",
    "session_resume",
    "mcp_client",
  ]);
});

test.each([
  ["sdk", { ABP_COPILOT_TRANSPORT: "sdk" }, true, "native", "restricted"],
  ["acp", { ABP_COPILOT_TRANSPORT: "acp" }, true, "restricted", "restricted"],
  ["legacy", { ABP_COPILOT_TRANSPORT: "legacy" }, true, "native", "native"],
  ["legacy without hooks", { ABP_COPILOT_TRANSPORT: "legacy" }, false, "restricted", "restricted"],
  ["auto", { ABP_COPILOT_TRANSPORT: "auto" }, true, "restricted", "restricted"],
])("hooks depend on the way: %s", (_, env, holds, before, after) => {
  const { hooks_pre_tool_use, hooks_post_tool_use, tool_write } = of(env, holds);
  const kind = (level: unknown) => (typeof level === "string" ? level : "restricted");
  expect([kind(hooks_pre_tool_use), kind(hooks_post_tool_use), tool_write]).toEqual([before, after, "native"]);
});

test.each([{ ABP_COPILOT_ADAPTER_MODULE: "/a.js" }, { ABP_COPILOT_TRANSPORT: "legacy", ABP_COPILOT_RUNNER: "r" }])(
  "what another program can do is not known: %j",
  (env) => {
    const reason = { restricted: { reason: "depends on the program that reaches Copilot" } };
    expect(of(env)).toMatchObject({ streaming: "native", tool_write: reason, session_fork: "unsupported" });
  },
);
