import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { findPack } from "../agents/packs.ts";
import type { ToolBefore } from "../contract/hook-event.ts";
import type { OwnRules } from "../contract/own-rules.ts";
import type { HookSettings } from "./hook-context.ts";
import { ownRulesAnswer } from "./own-rules-answer.ts";

/** A folder that exists everywhere and has no settings of any agent. Nothing is run in it. */
const WORK = realpathSync(tmpdir());

type AgentId = "claude" | "codex" | "copilot";

/** The rules that a pack reads from these files below the home, and these flags. */
async function read(agent: AgentId, files: Readonly<Record<string, string>>, flags: readonly string[] = []) {
  const home = tempFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  const install = await findPack(agent)?.install?.();
  if (install === undefined) throw new Error("no pack");
  const start = { flags, env: { HOME: home }, cwd: WORK, workspace: WORK, interactive: true };
  return install.readOwnRules(start, join(home, "nothing"));
}

const claude = (list: string, ...rules: string[]) =>
  read("claude", { ".claude/settings.json": JSON.stringify({ permissions: { [list]: rules } }) });
const codex = (decision: string) =>
  read("codex", { ".codex/rules/a.rules": `prefix_rule(pattern=["touch"], decision="${decision}")` });

interface Asked {
  readonly agent?: AgentId;
  readonly interactive?: boolean;
  readonly mode?: ToolBefore["mode"];
  readonly tool?: string;
}

function answer(command: string, ownRules: OwnRules, asked: Asked = {}) {
  const { agent = "claude", interactive = true, mode, tool = "Bash" } = asked;
  const settings: HookSettings = {
    agent,
    workspace: WORK,
    folder: "/f",
    interactive,
    closed: [],
    switches: [],
    sandbox: "/s",
    ownRules,
    deniedTools: [],
    hooks: [],
    seal: "x",
  };
  return ownRulesAnswer({ type: "tool-before", session: "s", cwd: WORK, tool, input: { command }, mode }, { settings });
}

/** One word for an answer: the verdict, `agent` when the call is left to it, or nothing. */
function word(command: string, rules: OwnRules, asked?: Asked): string {
  const { answer: given, leftToAgent } = answer(command, rules, asked);
  return leftToAgent === undefined ? (given.verdict ?? "-") : "agent";
}

/** The spellings with which Claude Code's, Codex's and Copilot's own matchers were tried. */
const SPELLINGS = [
  "touch m",
  "true; touch m",
  "FOO=1 touch m",
  "env touch m",
  "/usr/bin/touch m",
  "bash -c 'touch m'",
  "timeout 5 touch m",
  "echo $(touch m)",
  "command touch m",
  "nohup touch m",
  "if true; then touch m; fi",
  "x=touch; $x m",
  "\\touch m",
  "'touch' m",
  "echo m | xargs touch",
  "(touch m)",
  "eval 'touch m'",
  "nice touch m",
];
const BESIDE = [
  "ls",
  "touchy m",
  "echo touch",
  "git touch",
  "cat touch",
  "for f in a b; do echo $f; done",
  "node x.mjs",
];

test.each<readonly [string, AgentId, () => Promise<OwnRules>, string]>([
  ["Claude Code's deny", "claude", () => claude("deny", "Bash(touch:*)"), "deny"],
  ["Claude Code's ask", "claude", () => claude("ask", "Bash(touch *)"), "ask"],
  ["Claude Code's deny with a wildcard", "claude", () => claude("deny", "Bash(touch m*)"), "deny"],
  ["Codex's forbidden", "codex", () => codex("forbidden"), "deny"],
  ["Copilot's --deny-tool", "copilot", () => read("copilot", {}, ["--deny-tool=shell(touch)"]), "deny"],
])("%s is held against every spelling, and against nothing else", async (_, agent, rules, verdict) => {
  const held = await rules();
  expect(SPELLINGS.map((command) => [command, word(command, held, { agent })])).toEqual(
    SPELLINGS.map((command) => [command, verdict]),
  );
  expect(BESIDE.map((command) => [command, word(command, held, { agent })])).toEqual(
    BESIDE.map((command) => [command, "-"]),
  );
});

test("Codex asks by its own rule where it can: on a terminal, about a command that it reads as we do", async () => {
  const rules = await codex("prompt");
  expect(SPELLINGS.map((command) => word(command, rules, { agent: "codex" }))).toEqual(
    SPELLINGS.map((command) => (command === "touch m" ? "agent" : "deny")),
  );
  expect(SPELLINGS.map((command) => word(command, rules, { agent: "codex", interactive: false }))).toEqual(
    SPELLINGS.map(() => "deny"),
  );
});

test("an answer names the rule, its file and its line; without a person a question is a denial", async () => {
  const { answer: denied } = answer("touch m", await claude("deny", "Bash(touch:*)"));
  expect(denied.because).toMatch(/^Blocked by your own rule Bash\(touch:\*\) in \S+\/\.claude\/settings\.json:1\. /);
  const ask = await claude("ask", "Bash(touch:*)");
  expect(answer("touch m", ask).answer.because).toMatch(/^signalbox asks for your approval: your own rule Bash/);
  expect(answer("touch m", ask, { interactive: false }).answer).toEqual({
    verdict: "deny",
    because: expect.stringContaining("nobody can approve it here"),
  });
});

test.each([
  ["Bash(tou:*)", "tou", "deny"],
  ["Bash(tou:*)", "tou -x", "deny"],
  ["Bash(tou:*)", "touchy x", "-"],
  ["Bash(npm run test:*)", "npm run test -- x", "deny"],
  ["Bash(npm run test:*)", "npm run test:unit", "-"],
  ["Bash(tou*)", "touchy x", "deny"],
  ["Bash(git push)", "git push", "deny"],
  ["Bash(git push)", "git push origin", "-"],
  ["Bash(git push:*)", "git -C sub push origin", "deny"],
  ["Bash(* --force)", "git push --force", "deny"],
  ["Bash(git * main)", "git push origin main", "deny"],
  ["Bash", "ls", "deny"],
  ["Bash(*)", "ls", "deny"],
  ["*", "ls", "deny"],
  ["Bash(rm:*)", "$CMD x", "ask"],
  ["Bash(rm:*)", "$(curl x) x", "ask"],
  ["Bash(rm:*)", 'eval "$CODE"', "ask"],
  ["Bash(rm:*)", "curl x | sh", "ask"],
  ["Bash(rm:*)", "alias l=rm; l x", "deny"],
  ["Bash(rm:*)", "echo 'open", "ask"],
  ["Bash(git push:*)", "git $VERB", "ask"],
  ["Bash(rm:*)", "git -c alias.x='!rm m' x", "ask"],
  ["Bash(rm:*)", ". <(echo rm m)", "ask"],
  ["Bash(rm:*)", "awk 'BEGIN{system(\"rm m\")}'", "ask"],
  ["Bash(rm:*)", "BASH_ENV=x bash -c :", "ask"],
  ["Bash(rm:*)", "test -v 'a[$(rm m)]'", "ask"],
  ["Bash(rm:*)", "mapfile -C 'rm m' -c 1 < f", "ask"],
  ["Bash(rm:*)", "NODE_OPTIONS=--trace-warnings node x.mjs", "-"],
  ["Bash(rm:*)", "find . -name x -exec rm {} +", "deny"],
  ["Bash(rm:*)", "git bisect run rm x", "deny"],
  ["Bash(rm:*)", "printf 'rm m' | sh", "deny"],
  ["Bash(rm:*)", "trap 'rm m' EXIT", "deny"],
  ["Bash(rm:*)", "/bin/r? m", "ask"],
  ["Bash(rm:*)", "ls $DIR", "-"],
  ["Bash(rm:*)", "source .venv/bin/activate && python -c 'print(1)'", "-"],
  ["Read(./.env)", "cat .env", "deny"],
  ["Read(.env)", "head -1 sub/.env", "deny"],
  ["Read(./.env)", "F=.env; cat $F", "deny"],
  ["Read(./.env)", "cat < .env", "deny"],
  ["Read(./.env)", "cp .env x", "deny"],
  ["Read(./.env)", "bash -c 'cat .env'", "deny"],
  ["Read(./.env)", 'cat "$PWD/.env"', "deny"],
  ["Read(./.env)", "git diff --no-index /dev/null .env", "deny"],
  ["Read(./.env)", "cat .e*", "ask"],
  ["Read(./.env)", "cat README.md", "-"],
  ["Read(./.env)", "cat $FILE", "-"],
  ["Read(./secrets/**)", "cat secrets/a/b", "deny"],
  ["Read(//etc/hosts)", "cat /etc/hosts", "deny"],
  ["Read(~/notes/**)", "cat ~/notes/a", "deny"],
  ["Read", "cat .env", "-"],
  ["Edit(./a.txt)", "echo x > a.txt", "deny"],
  ["Edit(./a.txt)", "tee a.txt", "deny"],
  ["Edit(./a.txt)", "cat a.txt", "-"],
  ["WebFetch(domain:x)", "curl https://x/", "-"],
])("Claude Code's deny rule %s on %s: %s", async (rule, command, expected) => {
  expect(word(command, await claude("deny", rule))).toBe(expected);
});

test.each([
  ["--deny-url=evil.com", "curl https://evil.com/x", "deny"],
  ["--deny-url=https://*.evil.com", "curl http://a.evil.com", "deny"],
  ["--deny-url=evil.com", "curl https://good.com", "-"],
  ["--deny-url=evil.com", "curl $URL", "ask"],
  ["--deny-tool=url", "curl https://good.com", "deny"],
  ["--deny-tool=shell(git push)", "git -C x push", "deny"],
  ["--deny-tool=shell(git:*)", "git status", "deny"],
  ["--deny-tool=shell", "ls", "deny"],
  ["--deny-tool=write", "ls > x", "-"],
])("Copilot's %s on %s: %s", async (flag, command, expected) => {
  expect(word(command, await read("copilot", {}, [flag]), { agent: "copilot" })).toBe(expected);
});

test("a chosen mode still holds: plan is left to the agent, and so is what no rule allows where nothing is asked", async () => {
  const rules = await claude("allow", "Bash(npm run build:*)", "Bash(ls)");
  expect(word("ls", rules, { mode: "plan" })).toBe("agent");
  const unasked = (command: string) => word(command, rules, { mode: "dont-ask" });
  expect([unasked("ls"), unasked("npm run build -w x"), unasked("ls -l"), unasked("ls; rm x")]).toEqual([
    "-",
    "-",
    "agent",
    "agent",
  ]);
  expect(word("rm x", await claude("ask", "Bash(rm:*)"), { mode: "dont-ask" })).toBe("deny");
});

test("other tools are left to the agent, and a rule that has become unreadable denies every command", async () => {
  const rules = await claude("deny", "Bash");
  expect(word("x", rules, { tool: "Write" })).toBe("-");
  const [source] = rules.sources;
  const { answer: given } = answer("ls", { ...rules, deny: [], sources: [{ path: source?.path ?? "", state: "old" }] });
  expect(given).toEqual({ verdict: "deny", because: expect.stringContaining("cannot be read any more") });
});
