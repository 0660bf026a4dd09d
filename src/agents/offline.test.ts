import { dirname, join } from "node:path";
import { mkdirSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { tempFolder } from "../../test/support/temp-folder.ts";
import type { AgentPack } from "./pack/agent-pack.ts";
import { AGENT_FILE_MARK, nestedHooks } from "./pack/offline.ts";
import { PACKS } from "./packs.ts";

const PROVABLE = PACKS.filter(({ offline }) => offline !== undefined).map((pack) => [pack.program.name, pack] as const);

async function offlineOf(pack: AgentPack) {
  const offline = await pack.offline?.();
  const install = await pack.install?.();
  if (offline === undefined || install === undefined) throw new Error("it cannot be proven");
  /** Which lists of the agent's own rules have a rule about mkdir, with these files in an otherwise empty machine. */
  const lists = (files: Readonly<Record<string, string>>, flags: readonly string[] = []) => {
    const root = tempFolder();
    const [cwd, HOME] = [join(root, "work"), join(root, "home")];
    mkdirSync(cwd);
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    const start = { flags, env: { HOME }, cwd, workspace: cwd, interactive: false };
    const { deny, ask, unreadable } = install.readOwnRules(start, root);
    const has = (rules: typeof deny) => JSON.stringify(rules.map(({ patterns }) => patterns)).includes("mkdir");
    return { deny: has(deny), ask: has(ask), unreadable };
  };
  const inHome = ({ flags, file }: typeof offline.ownRule) =>
    lists(file === undefined ? {} : { [join("home", file.path)]: file.text }, flags);
  return { offline, lists, inHome };
}

test.each(PROVABLE)("the rules that a proof gives %s forbid mkdir, or ask about it, as it says", async (_, pack) => {
  const { offline, lists, inHome } = await offlineOf(pack);
  expect(inHome(offline.ownRule)).toEqual({ deny: true, ask: false, unreadable: undefined });
  if (offline.ownAskRule !== undefined)
    expect(inHome(offline.ownAskRule)).toEqual({ deny: false, ask: true, unreadable: undefined });
  expect(lists(offline.managed.files)).toEqual({ deny: offline.managed.forbids, ask: false, unreadable: undefined });
});

test.each(PROVABLE)("%s gets a hook of its own with the given program and time limit", async (name, pack) => {
  const { offline } = await offlineOf(pack);
  const { flags, files = {}, env = {} } = offline.bareHook.register("/bin/the-hook", { folder: "/f", seconds: 7 });
  const all = JSON.stringify([flags, files]);
  expect(all).toContain("/bin/the-hook");
  // Gemini CLI counts in milliseconds.
  expect(all).toMatch(name === "gemini" ? /\b7000\b/ : /\b7\b/);
  for (const path of Object.keys(files)) {
    const [first = ""] = path.split("/");
    expect(JSON.stringify([flags, env])).toContain(`/f/${first}`);
  }
});

test.each(PROVABLE)("%s is started offline with whole words, and sub-agents get their task", async (_, pack) => {
  const { offline } = await offlineOf(pack);
  const words = [...offline.unattended, ...offline.bypass, ...offline.resume];
  expect(words.filter((word) => word.trim() === "")).toEqual([]);
  for (const delegate of [offline.delegate, offline.agentFile.delegate]) {
    const { input } = delegate("the task");
    expect(Object.values(input)).toContain("the task");
    // A proof looks at what the sub-agent did once the call has ended.
    expect(input["run_in_background"] ?? false).toBe(false);
  }
  expect(offline.agentFile.text).toContain(AGENT_FILE_MARK);
  const url = "http://127.0.0.1:9";
  expect(JSON.stringify([offline.provider(url, "/h"), offline.settings?.(url)])).toContain(url);
});

test("hooks in the format that two agents share run the command before every call and at the start", () => {
  const hook = { type: "command", command: "/bin/hook" };
  expect(nestedHooks("/bin/hook")).toEqual({
    SessionStart: [{ hooks: [hook] }],
    PreToolUse: [{ matcher: "*", hooks: [hook] }],
  });
});
