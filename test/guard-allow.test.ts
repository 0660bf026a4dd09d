import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryHere } from "./support/allow-scene.ts";
import { isOnPath } from "./support/is-on-path.ts";
import { signalbox } from "./support/run-signalbox.ts";
import { standInAgent } from "./support/stand-in-agent.ts";

const COMMAND = "node scripts/x.mjs";

test("guard allow shows the rule, writes it only when told to, and proves it", async () => {
  const { cwd, env, home } = repositoryHere();
  const shown = await signalbox(["guard", "allow", COMMAND], { cwd, env });
  expect([shown.code, shown.stderr]).toEqual([3, "Nothing was written. To write it: add --yes\n"]);
  expect(shown.stdout).toContain("+    argv: [node, scripts/x.mjs]\n+    exact: true\n");
  expect(shown.stdout).toContain(`It would not allow:\n  ${COMMAND} other\n`);
  expect(readdirSync(home)).toEqual([]);
  const written = await signalbox(["guard", "allow", "--yes", "--json", COMMAND], { cwd, env });
  expect(JSON.parse(written.stdout)).toMatchObject({ outcome: "written", verdict: "allow", command: COMMAND });
});

test("many at the same time all keep their rule, and comments stay", async () => {
  const { cwd, env, home } = repositoryHere();
  mkdirSync(join(home, ".signalbox"));
  const file = join(home, ".signalbox/policy.yaml");
  writeFileSync(file, "# mine\nversion: 1 # one\n");
  const names = ["a", "b", "c"];
  const runs = await Promise.all(
    names.map((name) => signalbox(["guard", "allow", "--yes", `node ${name}.mjs`], { cwd, env })),
  );
  expect(runs.map(({ code }) => code)).toEqual([0, 0, 0]);
  const text = readFileSync(file, "utf8");
  expect(text.startsWith("# mine\nversion: 1 # one\nrules:\n")).toBe(true);
  expect(new Set([...text.matchAll(/argv: \[node, (\w)\.mjs\]/g)].map((found) => found[1]))).toEqual(new Set(names));
});

test("the repository's own file is named until it is trusted, and guard allow says so", async () => {
  const { cwd, env } = repositoryHere();
  const written = await signalbox(["guard", "allow", "--repository", "--yes", COMMAND], { cwd, env });
  expect([written.code, written.stdout]).toEqual([0, expect.stringContaining("To trust it: signalbox trust\n")]);
  const before = await signalbox(["guard", "explain", COMMAND], { cwd, env });
  expect([before.code, before.stdout]).toEqual([
    3,
    expect.stringContaining("To review and trust it: signalbox trust\n"),
  ]);
});

test("last and learn work from what the log holds", async () => {
  const { cwd, env } = repositoryHere();
  const event = {
    tool_name: "Bash",
    tool_input: { command: COMMAND },
    cwd,
    session_id: "s",
    hook_event_name: "PreToolUse",
  };
  await signalbox(["xpia-hook"], { cwd, env, input: JSON.stringify(event) });
  const last = await signalbox(["guard", "allow", "last", "--json"], { cwd, env });
  expect(JSON.parse(last.stdout)).toMatchObject({ outcome: "not-confirmed", command: COMMAND });
  const learnt = await signalbox(["guard", "learn", "--since", "7d"], { cwd, env });
  expect(learnt.stdout).toContain(
    `1 question, for example:\n    ${COMMAND}\n  to allow: signalbox guard allow '${COMMAND}'\n`,
  );
  expect(learnt.stdout).toContain("+    argv: [node, scripts/x.mjs]\n");
});

test("called inside a session, the commands that pass everywhere write nothing", async () => {
  const { cwd, env, home } = repositoryHere();
  const agent = standInAgent("claude", 'touch "$HOME/was-started"; echo 9.8.7');
  const inside = { ...env, ...agent.env, HOME: home, SIGNALBOX_RUN: "0123456789abcdef0123456789abcdef" };
  mkdirSync(join(home, ".signalbox/commands", "f".repeat(32)), { recursive: true });
  const before = listing(home);
  for (const words of [
    ["agent"],
    ["doctor", "--json"],
    ["prompt-plan", "--agent", "codex"],
    ["guard", "explain", "ls"],
    ["receipt", "show", "last"],
    ["runs", "--all"],
  ])
    await signalbox(words, { cwd, env: inside });
  expect(listing(home)).toEqual(before);
  // The same call outside shows that the list would have changed.
  await signalbox(["doctor"], { cwd, env: { ...inside, SIGNALBOX_RUN: "" } });
  expect(listing(home)).not.toEqual(before);
});

function listing(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .toSorted()
    .map((name) => `${name} ${statSync(join(folder, name)).mtimeMs}`);
}

test.skipIf(process.platform !== "linux" || !isOnPath("script"))(
  "on a terminal it asks, and a no writes nothing",
  () => {
    const { cwd, env, home } = repositoryHere();
    const typed = (answer: string) =>
      spawnSync("env", ["script", "-qec", `"$BOX" guard allow '${COMMAND}'`, "/dev/null"], {
        cwd,
        env: { ...process.env, ...env, BOX: join(import.meta.dirname, "../bin/signalbox") },
        input: `${answer}\n`,
        encoding: "utf8",
      });
    expect(typed("n").stdout).toContain("Write it? [y/N]");
    expect(readdirSync(home)).toEqual([]);
    expect(typed("y").stdout).toContain("Judged again: ALLOW");
  },
);
