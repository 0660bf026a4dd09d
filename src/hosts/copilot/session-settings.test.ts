import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { workOrder } from "../../../test/support/run-order.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { missedWarning, programSettings, sessionSettings, unpassable } from "./session-settings.ts";

const wanted = (copilot: Readonly<Record<string, unknown>>, model: string | null = null) => {
  const order = workOrder({ root: "/w" });
  return sessionSettings({ ...order, config: { ...order.config, model, vendor: { copilot } } });
};

const passed = (copilot: Readonly<Record<string, unknown>>, model: string | null = null) => {
  const folder = tempFolder();
  const { flags, env, missed } = programSettings(wanted(copilot, model), folder, {});
  return { folder, flags: flags.map((flag) => flag.replace(folder, "RUN")), env, missed };
};

test("an order that wants nothing passes nothing on", () => {
  expect(passed({})).toMatchObject({ flags: [], env: {}, missed: [] });
  expect(passed({ model: null, flags: ["--x"] })).toMatchObject({ flags: [], missed: [] });
});

test.each([
  [{ model: "a" }, "b", ["--model", "a"]],
  [{}, "b", ["--model", "b"]],
  [{ reasoningEffort: "low" }, null, ["--reasoning-effort", "low"]],
  [{ availableTools: ["a", "b"], excludedTools: ["c"] }, null, ["--available-tools=a,b", "--excluded-tools=c"]],
  [{ availableTools: [] }, null, ["--available-tools="]],
  [{ mcp_servers: [{ name: "t", command: "x" }] }, null, ["--additional-mcp-config", "@RUN/mcp-servers.json"]],
])("%j with model %j is passed by flags", (copilot, model, flags) => {
  expect(passed(copilot, model)).toMatchObject({ flags, missed: [] });
});

test("servers are passed in a private file, with what Copilot requires", () => {
  const { folder } = passed({ mcpServers: { t: { command: "x", env: { TOKEN: "s" } }, u: { url: "https://h/" } } });
  const file = join(folder, "mcp-servers.json");
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
    mcpServers: {
      t: { type: "local", tools: ["*"], command: "x", env: { TOKEN: "s" } },
      u: { type: "http", tools: ["*"], url: "https://h/" },
    },
  });
  expect(statSync(file).mode & 0o077).toBe(0);
});

test("a system message that only adds is passed as instructions, beside the user's own", () => {
  const folder = tempFolder();
  const env = { COPILOT_CUSTOM_INSTRUCTIONS_DIRS: "/mine" };
  for (const systemMessage of ["Be brief.", { content: "Be brief." }, { mode: "append", content: "Be brief." }]) {
    const result = programSettings(wanted({ systemMessage }), folder, env);
    expect([result.env, result.missed]).toEqual([
      { COPILOT_CUSTOM_INSTRUCTIONS_DIRS: `/mine,${folder}/instructions` },
      [],
    ]);
    const text = readFileSync(join(folder, "instructions/.github/instructions/order.instructions.md"), "utf8");
    expect(text).toBe('---\napplyTo: "**"\n---\n\nBe brief.\n');
  }
});

test("what cannot be passed on is named", () => {
  const odd = {
    systemMessage: { mode: "replace", content: "x" },
    provider: {},
    model: 3,
    availableTools: "a",
    wish: 1,
  };
  expect(passed(odd)).toMatchObject({
    flags: [],
    env: {},
    missed: [
      "systemMessage (can only be appended to)",
      "provider (set COPILOT_PROVIDER_* instead)",
      "model",
      "availableTools",
      "wish",
    ],
  });
  const all = { reasoningEffort: "low", mcpServers: { t: {} }, session_id: "s", excludedTools: ["a"], wish: 1 };
  expect(unpassable(wanted(all, "m"), ["sessionId", "mcpServers"])).toEqual([
    "model",
    "reasoningEffort",
    "excludedTools",
    "wish",
  ]);
  expect(missedWarning([], "acp")).toEqual([]);
  expect(missedWarning(["model"], "acp")).toMatchObject([
    { type: "warning", message: "not passed on to Copilot over acp: model", ext: { not_passed_on: ["model"] } },
  ]);
});
