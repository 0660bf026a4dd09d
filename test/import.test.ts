import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { PROJECT, signalbox } from "./support/run-signalbox.ts";
import { tempFolder, tempRepository } from "./support/temp-folder.ts";

const FIXTURES = join(PROJECT, "test/fixtures/import");

/** A home, and a repository to work in. */
function place(files: Readonly<Record<string, string>> = {}) {
  const home = tempFolder();
  const cwd = tempRepository();
  for (const [path, text] of Object.entries(files)) {
    const file = join(path.startsWith("repository/") ? cwd : home, path.replace("repository/", ""));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const env = { HOME: home, PATH: "/usr/bin:/bin" };
  return { home, cwd, env, policy: join(home, ".signalbox/policy.yaml") };
}

/** Answers `execpolicy check` as Codex does: forbidden for what ends in a word, allowed for `mytool deploy`. */
function fakeCodex(home: string, forbidden: string): string {
  const file = join(home, "codex");
  const script = `#!/bin/sh
while [ "$1" != -- ]; do shift; done; shift
case "$*" in
  *" ${forbidden}") echo '{"matchedRules":[],"decision":"forbidden"}' ;;
  "mytool deploy"|"mytool deploy "*) echo '{"matchedRules":[],"decision":"allow"}' ;;
  *) echo '{"matchedRules":[]}' ;;
esac
`;
  writeFileSync(file, script, { mode: 0o755 });
  return file;
}

const ALLOWED = 'prefix_rule(pattern=["mytool", "deploy"], decision="allow")\n';

test("the report is shown first, and the policy is written only when told to", async () => {
  const { cwd, env, home, policy } = place({ ".codex/rules/default.rules": ALLOWED });
  const asked = { ...env, SIGNALBOX_CODEX_BINARY: fakeCodex(home, "nothing") };
  const shown = await signalbox(["import", "codex"], { cwd, env: asked });
  expect([shown.code, shown.stderr]).toEqual([3, "Nothing was written. To write it: add --yes\n"]);
  expect(shown.stdout).toContain(
    'Taken exactly: 1\n  allow prefix_rule(["mytool","deploy"], "allow")  ~/.codex/rules/default.rules:1\n',
  );
  expect(shown.stdout).toMatch(/signalbox is looser on 0 of \d+ calls\./);
  expect((await signalbox(["import", "codex", "--dry-run"], { cwd, env: asked })).code).toBe(0);
  expect(existsSync(policy)).toBe(false);
  const written = await signalbox(["import", "codex", "--yes", "--json"], { cwd, env: asked });
  expect(JSON.parse(written.stdout)).toMatchObject({ outcome: "written", notTaken: [], check: { looser: [] } });
  expect(readFileSync(policy, "utf8")).toContain(
    'argv: [mytool, deploy]\n    as_written: true\n    verdict: allow\n    because: "imported from ~/.codex/rules/default.rules:1"\n',
  );
  const again = await signalbox(["import", "codex", "--yes"], { cwd, env: asked });
  expect([again.code, again.stdout.endsWith("Nothing to write.\n")]).toEqual([0, true]);
  const judged = async (command: string) =>
    (await signalbox(["guard", "explain", "--json", "--contained", "no", command], { cwd, env })).code;
  expect([await judged("mytool deploy x"), await judged("nice mytool deploy x")]).toEqual([0, 3]);
});

test("one call on which signalbox would be looser is enough, and nothing is written", async () => {
  const { cwd, env, home, policy } = place({ ".codex/rules/default.rules": ALLOWED });
  const asked = { ...env, SIGNALBOX_CODEX_BINARY: fakeCodex(home, "other") };
  const { code, stdout, stderr } = await signalbox(["import", "codex", "--yes"], { cwd, env: asked });
  expect([code, existsSync(policy)]).toEqual([3, false]);
  expect(stdout).toContain("  Bash mytool deploy other: deny there, allow here  (~/.codex/rules/default.rules:1)\n");
  expect(stderr).toMatch(/^Nothing was written: signalbox would be looser on \d+ calls\.\n$/);
});

test.each([
  ["a loop", 'for name in ["x"]:\n    prefix_rule(pattern=["mytool", name], decision="forbidden")\n', 3],
  ["a loop that only allows", 'for name in ["x"]:\n    prefix_rule(pattern=["mytool", name], decision="allow")\n', 0],
  ["a decision in a variable", 'D = "forbidden"\nprefix_rule(pattern=["x"], decision=D)\n', 3],
  ["a function of its own", "def prefix_rule(**rest):\n    pass\n", 3],
])("%s in a rules file is named by its line, and stops an import that may lose a denial", async (_, text, wanted) => {
  const { cwd, env, home, policy } = place({ ".codex/rules/default.rules": `${ALLOWED}${text}` });
  const asked = { ...env, SIGNALBOX_CODEX_BINARY: fakeCodex(home, "nothing") };
  const { code, stdout } = await signalbox(["import", "codex", "--yes"], { cwd, env: asked });
  expect([code, existsSync(policy)]).toEqual([wanted, wanted === 0]);
  expect(stdout).toMatch(/Not taken: [12]\n[\s\S]*~\/\.codex\/rules\/default\.rules:[23]\n/);
});

test("without the agent, the report says that nothing was checked", async () => {
  const { cwd, env, policy } = place({ ".codex/rules/default.rules": ALLOWED });
  const { code, stdout } = await signalbox(["import", "codex", "--yes"], { cwd, env });
  expect([code, existsSync(policy)]).toEqual([0, true]);
  expect(stdout).toMatch(/Not checked: Codex CLI could not be asked/);
});

test("a repository's rules go into the repository's policy, and never into the user's", async () => {
  const settings = JSON.stringify({ permissions: { deny: ["Bash(mytool drop:*)"], allow: ["Bash(mytool load:*)"] } });
  const { cwd, env, policy } = place({ "repository/.claude/settings.json": settings });
  const own = await signalbox(["import", "claude", "--yes"], { cwd, env });
  expect([own.code, own.stderr]).toEqual([2, expect.stringContaining("has no rules of yours")]);
  const { code, stdout } = await signalbox(["import", "claude", "--repository", "--yes"], { cwd, env });
  expect([code, existsSync(policy), stdout.endsWith("To trust it: signalbox trust\n")]).toEqual([0, false, true]);
  expect(readFileSync(join(cwd, ".signalbox/policy.yaml"), "utf8")).toContain(
    'because: "imported from .claude/settings.json:1"',
  );
});

test.each([
  ["a settings file with comments", "claude", '// mine\n{"permissions": {}}\n', "Claude Code ignores them"],
  ["a huge file", "codex", `# ${"x".repeat(5_000_000)}\n`, "larger than"],
  ["a file that is no text", "claude", Buffer.from([0xff, 0xfe, 0xfd]), "cannot be read"],
  ["rules without end", "codex", `${ALLOWED.repeat(2001)}`, "more than the 2000"],
  ["an empty file", "claude", "", "has no rules"],
])("%s is refused with its name", async (_, agent, text, problem) => {
  const { cwd, env } = place();
  writeFileSync(join(cwd, "rules"), text);
  const { code, stderr } = await signalbox(["import", agent, "--from", "rules", "--yes"], { cwd, env });
  expect([code, stderr]).toEqual([2, expect.stringContaining(problem)]);
});

test("links in a circle are refused, and so is an agent whose rules cannot be imported", async () => {
  const { cwd, env, home } = place();
  symlinkSync("b.rules", join(cwd, "a.rules"));
  symlinkSync("a.rules", join(cwd, "b.rules"));
  const circle = await signalbox(["import", "codex", "--from", "a.rules"], { cwd, env });
  expect([circle.code, circle.stderr]).toEqual([2, expect.stringContaining("ELOOP")]);
  mkdirSync(join(home, ".codex/rules"), { recursive: true });
  symlinkSync(".", join(home, ".codex/rules/all.rules"));
  const folder = await signalbox(["import", "codex"], { cwd, env });
  expect([folder.code, folder.stderr]).toEqual([2, expect.stringContaining("not a regular file")]);
  const other = await signalbox(["import", "copilot"], { cwd, env });
  expect([other.code, other.stderr]).toEqual([2, expect.stringContaining("signalbox import claude, or signalbox")]);
});

test("hooks, variables and modes beside the rules are named and left out", async () => {
  const { cwd, env } = place();
  const from = join(FIXTURES, "claude/10-modes.json");
  const { stdout } = await signalbox(["import", "claude", "--from", from, "--dry-run", "--json"], { cwd, env });
  const { exact, notTaken } = JSON.parse(stdout);
  expect([exact.length, notTaken.map(({ rule }: { rule: string }) => rule)]).toEqual([
    1,
    ["permissions.defaultMode", "permissions.additionalDirectories", "permissions.disableBypassPermissionsMode"],
  ]);
});
