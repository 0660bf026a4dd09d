import { expect, test } from "vitest";
import { VERBS } from "../../verbs.ts";
import { judge } from "../judge/judge.ts";
import { fakeMachine } from "../machine/fake-machine.ts";
import { OWN_ASKING } from "./own-commands.ts";
import { PRESETS, type PresetName } from "./presets.ts";

const NAMES = ["default", "ci", "read-only", "none"] as const;
const verdict = (name: PresetName, command: string) => {
  const policy = { ...PRESETS[name], version: 1, workspaceRoot: "/srv/repo", home: "/home/dev" } as const;
  return judge({ tool: "Bash", input: { command } }, policy, fakeMachine({})).verdict;
};
const verdicts = (command: string) => NAMES.map((name) => verdict(name, command));

test.each([
  "signalbox agent --json",
  "signalbox doctor",
  "/usr/local/bin/signalbox doctor --json",
  "signalbox prompt-plan --agent codex --json",
  "signalbox guard explain 'sudo rm -rf /'",
  "signalbox guard explain -- cat .env",
  "signalbox guard explain --json -- 'cat ~/.ssh/id_rsa'",
  "signalbox receipt show last",
  "signalbox runs",
  "signalbox runs --all --json",
])("%s passes under every preset", (command) => {
  expect(verdicts(command)).toEqual(["allow", "allow", "allow", "allow"]);
});

test("through npx they pass where programs of the workspace may run", () => {
  expect(verdicts("npx signalbox doctor")).toEqual(["allow", "allow", "deny", "ask"]);
  expect(verdicts("npx signalbox guard explain -- 'rm -rf /'")).toEqual(["allow", "allow", "deny", "ask"]);
});

test.each([
  "signalbox runs restore last",
  "signalbox runs apply 3f2a",
  "signalbox runs cancel 3f2a",
  "signalbox runs undo last",
  "signalbox runs resume last",
  "signalbox runs fork last",
  "signalbox runs prune --yes",
  "signalbox guard trust --yes",
  "signalbox context memory forget --all",
  "signalbox init stage",
  "signalbox sandbox outside -- git push",
  "signalbox setup --yes --preset none",
  "signalbox uninstall --all --yes",
  "signalbox runs --json restore",
  "signalbox guard allow 'git push'",
  "signalbox guard --yes allow last",
  "signalbox trust --yes",
  "signalbox apply last",
  "signalbox prune",
  "signalbox outside -- ls",
  "signalbox key",
  "signalbox memory forget --all",
  "signalbox mcp add x -- sh",
  "signalbox mcp remove x",
  "signalbox mcp test x",
  "signalbox mcp login x",
  "signalbox stage",
  "signalbox unstage",
  "signalbox sandbox -- ls",
  "signalbox claude -- -p hi",
  "signalbox run codex 'fix it'",
  "signalbox recipe run ./release.yaml",
  "npx signalbox trust --yes",
  "npx -y signalbox trust --yes",
  "/opt/signalbox/bin/signalbox trust --yes",
  "./node_modules/.bin/signalbox guard allow last",
  "env X=1 signalbox trust",
  "echo y | signalbox guard allow last",
  "SIGNALBOX_HOME=/tmp/x signalbox doctor",
  "SIGNALBOX_RUN= signalbox doctor",
  "signalbox doctor > .git/config",
])("%s never passes unasked", (command) => {
  const [first, ...others] = verdicts(command);
  expect(first).not.toBe("allow");
  expect(others.slice(0, 2)).toEqual(["deny", "deny"]);
  expect(others[2]).not.toBe("allow");
});

test("a user's own exact rule may still allow one of them, and nothing near it", () => {
  const rules = [
    ...PRESETS.ci.rules,
    { id: "u", source: "user", verdict: "allow", argv: ["signalbox", "apply", "last"], exact: true, because: "" },
  ] as const;
  const policy = { ...PRESETS.ci, rules, version: 1, workspaceRoot: "/srv/repo", home: "/home/dev" } as const;
  const judged = (command: string) => judge({ tool: "Bash", input: { command } }, policy, fakeMachine({})).verdict;
  expect(["signalbox apply last", "signalbox apply last --x", "signalbox apply"].map(judged)).toEqual([
    "allow",
    "deny",
    "deny",
  ]);
});

test("every verb is either known to ask, known to read, or left to the rules for unknown programs", () => {
  const asking = new Set(OWN_ASKING.flatMap(({ argv }) => argv[1] ?? []).flat());
  const reading = new Set("agent doctor prompt-plan guard receipt runs".split(" "));
  const unlisted = new Set("models audit schema scripted-model completions sessions context".split(" "));
  const forgotten = VERBS.map(({ name }) => name).filter(
    (name) => !asking.has(name) && !reading.has(name) && !unlisted.has(name),
  );
  expect(forgotten).toEqual([]);
});
