import { join } from "node:path";
import { expect, test } from "vitest";
import { writeFiles } from "../../../test/support/git-repository.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { codexOwnRules } from "./own-rules.ts";

const OWN = "home/.codex/rules/own.rules";
const REPOSITORY = "work/.codex/rules/theirs.rules";

interface Scene {
  readonly flags?: readonly string[];
  readonly interactive?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

function rulesOf(files: Readonly<Record<string, string>>, { flags = [], interactive = false, env = {} }: Scene = {}) {
  const root = tempFolder();
  const cwd = join(root, "work");
  writeFiles(root, {
    "work/file": "",
    ...Object.fromEntries(Object.entries(files).map(([path, text]) => [path, text.replaceAll("ROOT", root)])),
  });
  const start = { flags, env: { HOME: join(root, "home"), ...env }, cwd, workspace: cwd, interactive };
  const { deny, ask, allow, unreadable } = codexOwnRules(start, root);
  const shown = (rules: typeof deny) =>
    rules.map(({ where, patterns }) => [where.replace(`${root}/`, ""), ...patterns]);
  return {
    deny: shown(deny),
    ask: shown(ask),
    allow: shown(allow),
    unreadable: unreadable?.where.replace(`${root}/`, ""),
  };
}

const NONE = { deny: [], ask: [], allow: [], unreadable: undefined };
const words = (...list: readonly (string | readonly string[])[]) => ({ kind: "words", words: list });
const host = (name: string) => ({ kind: "host", host: name });

test("commands and hosts are read with every decision, by name or by place, over several lines", () => {
  const text = `# mine
prefix_rule(pattern=["rm", ["-r", "-f"]], decision="forbidden", justification = 'it\\'s "lost"')
prefix_rule(["git", "push"], "prompt", ["git push origin"], [], "ask first");
prefix_rule(
    pattern = ("ls",),   # no decision allows
    match = ["ls -l", """ls
a"""],
)
network_rule("Example.COM", "https", "deny", "no")
network_rule(host="a.example", decision="allow", protocol="https")
host_executable(name="git", paths=["/usr/bin/git"])
`;
  expect(rulesOf({ [OWN]: text })).toEqual({
    deny: [
      [`${OWN}:2`, words("rm", ["-r", "-f"])],
      [`${OWN}:9`, host("example.com")],
    ],
    ask: [[`${OWN}:3`, words("git", "push")]],
    allow: [
      [`${OWN}:4`, words("ls")],
      [`${OWN}:10`, host("a.example")],
    ],
    unreadable: undefined,
  });
});

test.each([
  ["a variable", 'prefix_rule(pattern=NAMES, decision="forbidden")'],
  ["a function of its own", 'def f(): pass\nprefix_rule(pattern=["rm"])'],
  ["a joined string", 'prefix_rule(pattern=["r" + "m"])'],
  ["an escape that we do not know", 'prefix_rule(pattern=["\\x72m"])'],
  ["an argument too many", 'host_executable("git", ["/usr/bin/git"], True)'],
  ["an argument given twice", 'prefix_rule(["rm"], pattern=["ls"])'],
  ["no comma", 'prefix_rule(pattern=["rm" "ls"])'],
  ["an open bracket", 'prefix_rule(pattern=["rm"'],
  ["an unknown decision", 'prefix_rule(pattern=["rm"], decision="never")'],
  ["an inherited name as the decision", 'prefix_rule(pattern=["rm"], decision="constructor")'],
  ["no pattern", 'prefix_rule(decision="forbidden")'],
  ["an empty pattern", 'prefix_rule(pattern=[], decision="forbidden")'],
  ["a word that is a number", 'prefix_rule(pattern=["rm", 1], decision="forbidden")'],
  ["no host", 'network_rule(host="", decision="deny")'],
])("a rules file with %s is unreadable, and is named with the line", (_, text) => {
  expect(rulesOf({ [OWN]: text })).toEqual({ ...NONE, unreadable: `${OWN}:1` });
});

const RM = 'prefix_rule(pattern=["rm"], decision="forbidden")';

test("rules of a repository count only on a terminal, and only if Codex trusts it", () => {
  const trusted = { [REPOSITORY]: RM, "home/.codex/config.toml": '[projects."ROOT/work"]\ntrust_level = "trusted"\n' };
  expect(rulesOf(trusted, { interactive: true })).toEqual({ ...NONE, deny: [[`${REPOSITORY}:1`, words("rm")]] });
  expect(rulesOf(trusted)).toEqual(NONE);
  expect(rulesOf({ [REPOSITORY]: RM }, { interactive: true })).toEqual(NONE);
});

test("an administrator's rules hold even with --ignore-rules, which leaves out the user's", () => {
  const [ADMIN, REQUIRED] = ["etc/codex/rules/all.rules", "etc/codex/requirements.toml"];
  const files = {
    [OWN]: RM,
    [ADMIN]: RM,
    [REQUIRED]:
      '[rules]\nprefix_rules = [{ pattern = [{ token = "dd" }, { any_of = ["a", "b"] }], decision = "prompt" }]\n',
  };
  expect(rulesOf(files, { flags: ["exec", "--ignore-rules"] })).toEqual({
    ...NONE,
    deny: [[`${ADMIN}:1`, words("rm")]],
    ask: [[REQUIRED, words("dd", ["a", "b"])]],
  });
  for (const broken of ["[rules", "[rules]\nprefix_rules = 1\n", '[rules]\nprefix_rules = [{ pattern = ["rm"] }]\n'])
    expect(rulesOf({ [REQUIRED]: broken })).toEqual({ ...NONE, unreadable: REQUIRED });
});

test("CODEX_HOME moves the user's rules; other files beside them are not read", () => {
  const files = { [OWN]: RM, "work/other/rules/a.rules": RM, "work/other/rules/notes.txt": "(" };
  expect(rulesOf(files, { env: { CODEX_HOME: "other" } })).toEqual({
    ...NONE,
    deny: [["work/other/rules/a.rules:1", words("rm")]],
  });
});
