import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { findDialect } from "../agents/find-dialect.ts";
import type { HookEventName } from "../contract/hook-event.ts";
import { openSegment } from "../guard/audit/write-audit.ts";
import { PRESETS } from "../guard/presets/presets.ts";
import { answerCall } from "./answer.ts";

/** Answers one call as a launch of this agent would. A stop hook refuses every stop. */
async function answered(agent: string, event: HookEventName, payload: object | string) {
  const base = tempFolder();
  const [workspace, folder] = [join(base, "work"), join(base, "home")];
  mkdirSync(workspace);
  const call = { event, text: typeof payload === "string" ? payload : JSON.stringify({ cwd: workspace, ...payload }) };
  const gate = { event: "agent-stop", name: "gate", origin: "repository", file: "gate", hash: "", argv: [] } as const;
  const output = await answerCall(call, findDialect(agent), {
    settings: {
      agent,
      workspace,
      folder,
      interactive: true,
      closed: [],
      switches: [],
      deniedTools: [],
      hooks: [gate],
      seal: "",
    },
    workspaceOf: () => workspace,
    policyFor: () => ({ ...PRESETS.default, version: 1, hash: "h", workspaceRoot: workspace, home: base }),
    audit: () => openSegment(folder, { now: () => 0 }),
    screen: () => ({ risk: "none", findings: [] }),
    redact: (text) => text,
    screenText: () => undefined,
    run: async (hook) => ({ hook, said: { decision: "block", reason: "tests fail" } }),
    warn: () => {},
  });
  const said: unknown = JSON.parse(output.stdout);
  return { ...output, said };
}

const bash = (command: string) => ({ session_id: "s", tool_name: "Bash", tool_input: { command } });
const AGENTS = ["claude", "codex", "gemini", "plain"] as const;

test.each(AGENTS)("%s: an allowed call prints nothing on stderr and exits 0", async (agent) => {
  expect(await answered(agent, "tool-before", bash("pwd"))).toMatchObject({ stderr: "", exit: 0 });
});

test.each(AGENTS)("%s: a denial says its reason on stderr too, as one line", async (agent) => {
  const { stdout, stderr, exit } = await answered(agent, "tool-before", bash("sudo id"));
  expect(stderr).toMatch(/^[^\n]*sudo id[^\n]*\n$/);
  expect(stdout).toContain(JSON.stringify(stderr.trim()).slice(1, -1));
  expect(exit).toBe(agent === "plain" ? 2 : 0);
});

test("a refused stop says why on stderr too", async () => {
  expect(await answered("plain", "agent-stop", { session_id: "s" })).toMatchObject({ stderr: "tests fail\n", exit: 2 });
});

test("a question is asked where the agent asks, and denied where nobody would be asked", async () => {
  const claude = await answered("claude", "tool-before", bash("git push"));
  expect(claude).toMatchObject({ stderr: "", said: { hookSpecificOutput: { permissionDecision: "ask" } } });
  const codex = await answered("codex", "tool-before", bash("git push"));
  expect(codex.said).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
  expect(codex.stderr).toContain("The user can allow it with: signalbox guard allow 'git push'");
});

test("a call that cannot be read is denied, a stop is refused, and other events only warn", async () => {
  const because = "Blocked, because signalbox could not read this hook call: it is not JSON";
  const call = await answered("claude", "tool-before", "{");
  expect(call).toMatchObject({ stderr: `${because}\n`, exit: 2 });
  expect(call.said).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
  const stop = await answered("claude", "agent-stop", "{");
  expect(stop).toMatchObject({ stderr: `${because}\n`, exit: 2, said: { decision: "block", reason: because } });
  const after = await answered("claude", "tool-after", "{");
  expect(after).toEqual({ stdout: "{}\n", stderr: `signalbox: ${because}\n`, exit: 0, said: {} });
});
