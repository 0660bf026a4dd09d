import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { HELD_PARTS } from "../contract/agent-call.ts";
import type { HookEvent } from "../contract/hook-event.ts";
import type { OwnRules } from "../contract/own-rules.ts";
import type { Policy } from "../contract/policy.ts";
import { openSegment } from "../guard/audit/write-audit.ts";
import { raiseTaint, readTaint } from "../guard/taint-store.ts";
import { PRESETS } from "../guard/presets/presets.ts";
import { dispatch } from "./dispatch.ts";
import type { HookContext, HookSettings } from "./hook-context.ts";
import type { HookResult, RegisteredHook } from "./project/find-hooks.ts";

const NO_RULES: OwnRules = { deny: [], ask: [], allow: [], sources: [] };

interface Given {
  readonly policy?: Partial<Policy>;
  readonly settings?: Partial<HookSettings>;
  /** Each hook's answer, by name. */
  readonly hooks?: Readonly<Record<string, object | { readonly failed: string }>>;
  readonly event?: RegisteredHook["event"];
}

function place({ policy, settings, hooks = {}, event = "tool-before" }: Given = {}) {
  const base = tempFolder();
  const [workspace, folder] = [join(base, "work"), join(base, "home")];
  mkdirSync(workspace);
  const warnings: string[] = [];
  const registered = Object.keys(hooks).map((name) => ({
    event,
    name,
    origin: "repository" as const,
    file: name,
    hash: "",
    argv: [],
  }));
  const parts: HookContext = {
    settings: {
      agent: "claude",
      workspace,
      folder,
      interactive: false,
      closed: [],
      switches: [],
      deniedTools: [],
      hooks: registered,
      seal: "",
      ...settings,
    },
    workspaceOf: () => workspace,
    policyFor: () => ({ ...PRESETS.default, version: 1, hash: "h", workspaceRoot: workspace, home: base, ...policy }),
    audit: () => openSegment(folder, { now: () => 0 }),
    screen: () => ({ risk: "none", findings: [] }),
    redact: (text) => text,
    screenText: (text) => (text.includes("obey") ? "it says obey" : undefined),
    run: async (hook): Promise<HookResult> => {
      const said = hooks[hook.name] ?? {};
      return "failed" in said ? { hook, failed: String(said.failed) } : { hook, said: { ...said } };
    },
    warn: (text) => void warnings.push(text),
  };
  const call = (command: string): HookEvent => ({
    type: "tool-before",
    session: "s",
    cwd: workspace,
    tool: "Bash",
    input: { command },
  });
  return { parts, call, warnings, workspace };
}

test("a tool of this launch alone is denied, and so is a call that no log can take", async () => {
  const { parts, call } = place({ settings: { deniedTools: ["Bash"] } });
  expect(await dispatch(call("ls"), parts)).toMatchObject({ verdict: "deny" });
  const unlogged = place();
  const broken = {
    ...unlogged.parts,
    audit: () => {
      throw new Error("disk full");
    },
  };
  expect(await dispatch(unlogged.call("ls"), broken)).toMatchObject({
    verdict: "deny",
    because: expect.stringContaining("disk full"),
  });
});

test("a work order can forbid, and cannot widen what this machine allows", async () => {
  const order = {
    allowed_tools: ["Bash", "CronCreate"],
    disallowed_tools: ["Read"],
    deny_read: [],
    deny_write: [],
    allow_network: ["example.com"],
    deny_network: [],
    require_approval_for: [],
  };
  const { parts, call, workspace } = place({ settings: { order } });
  expect(await dispatch(call("curl https://example.com/x"), parts)).toMatchObject({ verdict: "deny" });
  const read: HookEvent = {
    type: "tool-before",
    session: "s",
    cwd: workspace,
    tool: "Read",
    input: { file_path: "a" },
  };
  expect(await dispatch(read, parts)).toMatchObject({ verdict: "deny" });
  expect(await dispatch({ ...read, tool: "CronCreate" }, parts)).toMatchObject({ verdict: "deny" });
  expect(await dispatch(call("ls"), parts)).toEqual({});
});

test("arguments that a hook changes are judged again", async () => {
  const { parts, call } = place({ hooks: { a: { updatedInput: { command: "sudo ls" } } } });
  expect(await dispatch(call("ls"), parts)).toMatchObject({ verdict: "deny" });
  const harmless = place({ hooks: { a: { updatedInput: { command: "ls -a" } }, b: { modifiedArgs: { timeout: 1 } } } });
  expect(await dispatch(harmless.call("ls"), harmless.parts)).toEqual({ input: { command: "ls -a", timeout: 1 } });
});

test("each call is reported once, as the model made it and with the final answer", async () => {
  const answers = async (given: Given, command: string) => {
    const { parts, call } = place(given);
    const seen: unknown[] = [];
    const event = { ...call(command), id: "c1" };
    await dispatch(event, { ...parts, answered: (told, answer) => void seen.push([told, answer.verdict]) }).catch(
      () => undefined,
    );
    return seen;
  };
  const once = (command: string, verdict: string) => [[{ tool: "Bash", input: { command }, id: "c1" }, verdict]];
  const contained = { sandbox: "/run/sandbox", ownRules: NO_RULES };
  expect(await answers({}, "ls")).toEqual(once("ls", "allow"));
  expect(await answers({ settings: contained }, "ls")).toEqual(once("ls", "allow"));
  expect(await answers({}, "sudo ls")).toEqual(once("sudo ls", "deny"));
  expect(await answers({ policy: { sandbox: "workspace" } }, "ls")).toEqual(once("ls", "deny"));
  const rewriting = { a: { updatedInput: { command: "sudo ls" } } };
  expect(await answers({ hooks: rewriting }, "ls")).toEqual(once("ls", "deny"));
});

test("a sandbox that the policy asks for is put around the command, and without one nothing runs", async () => {
  const contained = { sandbox: "/run/it's/sandbox", held: HELD_PARTS, ownRules: NO_RULES };
  const { parts, call } = place({ policy: { sandbox: "workspace" }, settings: contained });
  expect(await dispatch(call("ls 'a b'"), parts)).toEqual({
    verdict: "allow",
    contained: true,
    input: { command: `'/run/it'\\''s/sandbox' 'ls '\\''a b'\\'''` },
  });
  const none = place({ policy: { sandbox: "workspace" } });
  expect(await dispatch(none.call("ls"), none.parts)).toMatchObject({ verdict: "deny" });
});

test("a recipe by its name leaves the sandbox bound to this session, and does not start in the agent's own sandbox", async () => {
  const recipes = { program: "/opt/signalbox", variables: { SIGNALBOX_SESSION: "/launch/settings" } };
  const contained = { sandbox: "/run/sandbox", held: HELD_PARTS, ownRules: NO_RULES, recipes };
  const { parts, call, workspace } = place({ settings: contained });
  const answer = await dispatch(call("signalbox recipe run x -c a='b c'"), parts);
  expect(answer).toEqual({ verdict: "allow", contained: true, input: { command: expect.any(String) } });
  expect(answer.input?.["command"]).toMatch(
    new RegExp(
      `(^|; )SIGNALBOX_SESSION='/launch/settings' '/opt/signalbox' 'recipe' 'run' 'x' '-c' 'a=b c' '-w' '${workspace}'$`,
    ),
  );
  expect(await dispatch(call("signalbox recipe run x --yes"), parts)).toMatchObject({ verdict: "deny" });
  const nested = place({ settings: { ...contained, ownSandbox: true } });
  expect(await dispatch(nested.call("signalbox recipe run x"), nested.parts)).toMatchObject({
    verdict: "deny",
    because: expect.stringContaining("recipes do not run in the agent's own sandbox"),
  });
});

test("a session that we did not launch has no sandbox, so its commands are denied where one is required", async () => {
  const answer = async (sandbox: "auto" | "strict") => {
    const { parts, call } = place({ policy: { sandbox }, settings: { workspace: undefined } });
    return await dispatch(call("ls"), parts);
  };
  expect(await answer("auto")).toEqual({});
  expect(await answer("strict")).toEqual({
    verdict: "deny",
    because: expect.stringMatching(/a sandbox is required.*"sandbox: auto".*start the agent with signalbox/),
  });
});

test("a sandbox that holds nothing counts as none", async () => {
  const holdsNothing = { sandbox: "/s", held: [], ownRules: NO_RULES };
  const answer = async (sandbox: "auto" | "workspace", command: string) => {
    const { parts, call } = place({ policy: { sandbox }, settings: holdsNothing });
    const { verdict, input } = await dispatch(call(command), parts);
    return [verdict, input];
  };
  expect(await answer("auto", "ls")).toEqual([undefined, undefined]);
  expect(await answer("auto", "node x.mjs")).toEqual(["deny", undefined]);
  expect(await answer("workspace", "ls")).toEqual(["deny", undefined]);
});

test("the agent's own rules are held before a command is rewritten, and none of them known means no", async () => {
  const rule = { rule: "Bash(ls:*)", where: "f:1", patterns: [{ kind: "words" as const, words: ["ls"] }] };
  const answer = async (ownRules: OwnRules | undefined, more: Given = {}) => {
    const { parts, call } = place({
      policy: { sandbox: "auto" },
      settings: { sandbox: "/s", held: HELD_PARTS, ownRules },
      ...more,
    });
    const { verdict, input } = await dispatch(call("ls"), parts);
    return [verdict, input?.["command"]];
  };
  expect(await answer({ ...NO_RULES, deny: [rule] })).toEqual(["deny", undefined]);
  expect(await answer({ ...NO_RULES, ask: [rule] })).toEqual(["deny", undefined]);
  const person = { interactive: true, sandbox: "/s", held: HELD_PARTS, ownRules: { ...NO_RULES, ask: [rule] } };
  expect(await answer(undefined, { settings: person })).toEqual(["ask", "'/s' 'ls'"]);
  expect(await answer(undefined)).toEqual(["deny", undefined]);
  // A hook in the home may allow, but not against the user's rules.
  const allowing = { hooks: { a: { permissionDecision: "allow" } } };
  expect(await answer({ ...NO_RULES, deny: [rule] }, allowing)).toEqual(["deny", undefined]);
});

test("under auto a call is left as it is in plan mode and without a sandbox; where one is required it is denied", async () => {
  const contained = { sandbox: "/s", held: HELD_PARTS, ownRules: NO_RULES };
  const answer = async (sandbox: "auto" | "workspace", settings: Partial<HookSettings>) => {
    const { parts } = place({ policy: { sandbox }, settings });
    const call = { type: "tool-before", session: "s", tool: "Bash", input: { command: "ls" }, mode: "plan" } as const;
    return (await dispatch(call, parts)).verdict ?? "none";
  };
  expect([await answer("auto", contained), await answer("auto", {}), await answer("workspace", contained)]).toEqual([
    "none",
    "none",
    "deny",
  ]);
});

test("a stop is refused by a hook at most eight times in a row, and a failed stop hook refuses once", async () => {
  const { parts, warnings } = place({
    event: "agent-stop",
    hooks: { gate: { decision: "block", reason: "tests fail" } },
  });
  const stop: HookEvent = { type: "agent-stop", session: "s", again: false };
  const answers = [];
  for (let time = 0; time < 9; time++) answers.push((await dispatch(stop, parts)).block);
  expect(answers).toEqual([...Array.from({ length: 8 }, () => "tests fail"), undefined]);
  expect(warnings).toHaveLength(1);

  const failing = place({ event: "agent-stop", hooks: { gate: { failed: "it crashed" } } });
  expect((await dispatch(stop, failing.parts)).block).toContain("the stop hook gate failed: it crashed");
  expect((await dispatch({ ...stop, again: true }, failing.parts)).block).toBeUndefined();
});

test("why a stop was refused clears no taint when the agent reports it as a prompt; a person's message does", async () => {
  const { parts } = place({ event: "agent-stop", hooks: { gate: { decision: "block", reason: "tests fail" } } });
  const { folder } = parts.settings;
  const say = (prompt: string) => dispatch({ type: "prompt-submitted", session: "s", prompt }, parts);
  raiseTaint(folder, "s", { since: "", because: "it says obey" });
  await dispatch({ type: "agent-stop", session: "s", again: false }, parts);
  await say("tests fail\n");
  expect(readTaint(folder, "s")).toBeDefined();
  await say("go on");
  expect(readTaint(folder, "s")).toBeUndefined();
});

test("at other events a failed hook is a warning, and what the others add is joined", async () => {
  const { parts, warnings } = place({
    event: "session-start",
    hooks: { a: { additionalContext: "one" }, b: { failed: "it crashed" }, c: { additionalContext: "two" } },
  });
  expect(await dispatch({ type: "session-start", session: "s", source: "startup" }, parts)).toEqual({
    context: "one\n\ntwo",
  });
  expect(warnings).toEqual(["the hook b failed: it crashed"]);
});

test("a failed call brings the model the sandbox's notes and is screened, but runs no hook for calls that ran", async () => {
  const { parts, workspace } = place({ hooks: { after: { additionalContext: "from the hook" } }, event: "tool-after" });
  const noted: unknown[] = [];
  const nothing = () => undefined;
  const takeNotes = (ended: unknown) => (noted.push(ended), ["a note"]);
  const silent = { saw: nothing, began: nothing, ended: nothing, noteOutside: nothing, noteCaller: nothing, takeNotes };
  const session = { ...silent, lend: async () => [], ready: Promise.resolve() };
  const call = { tool: "Bash", input: { command: "false" }, output: "obey" };
  const event: HookEvent = { type: "tool-after", session: "s", cwd: workspace, ...call };
  const context = { ...parts, session, settings: { ...parts.settings, sandbox: "/sandbox" } };
  const tainted = expect.stringMatching(/it says obey[^]*\na note$/);
  expect(await dispatch({ ...event, failed: true }, context)).toEqual({ context: tainted, afterFailure: true });
  expect(await dispatch({ ...event, output: "fine" }, context)).toEqual({ context: "a note\n\nfrom the hook" });
  expect(noted).toEqual([
    { output: "obey", command: "false", folder: workspace },
    { output: "fine", command: "false", folder: workspace },
  ]);
});

test("the conversation with the person is known from its prompts and stops, not from a sub-agent's", async () => {
  const { parts } = place();
  const talked: string[] = [];
  const context = { ...parts, talked: (id: string) => void talked.push(id) };
  await dispatch({ type: "session-start", session: "unused", source: "startup" }, context);
  await dispatch({ type: "prompt-submitted", session: "main", prompt: "hello" }, context);
  await dispatch({ type: "prompt-submitted", session: "inner", subAgent: "a", prompt: "hello" }, context);
  await dispatch({ type: "agent-stop", session: "later", again: false }, context);
  expect(talked).toEqual(["main", "later"]);
});
