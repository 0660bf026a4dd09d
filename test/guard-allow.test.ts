import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryHere } from "./support/allow-scene.ts";
import { isOnPath } from "./support/is-on-path.ts";
import { hasSandbox } from "./support/sandbox-scene.ts";
import { signalbox } from "./support/run-signalbox.ts";
import { standInAgent } from "./support/stand-in-agent.ts";

const COMMAND = "node scripts/x.mjs";

/** Beside the policy there may be what was found out about the sandbox here. */
const hasPolicy = (home: string) => existsSync(join(home, ".signalbox/policy.yaml"));

test("guard allow shows the rule, writes it only when told to, and proves it", async () => {
  const { cwd, env, home } = repositoryHere();
  const shown = await signalbox(["guard", "allow", COMMAND], { cwd, env });
  expect([shown.code, shown.stderr]).toEqual([3, "Nothing was written. To write it: add --yes\n"]);
  expect(shown.stdout).toContain("+    argv: [node, scripts/x.mjs]\n+    exact: true\n");
  expect(shown.stdout).toContain(`It would not allow:\n  ${COMMAND} other\n`);
  expect(hasPolicy(home)).toBe(false);
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
  const before = await signalbox(["guard", "explain", "--contained", "no", COMMAND], { cwd, env });
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
    expect(hasPolicy(home)).toBe(false);
    expect(typed("y").stdout).toContain("Judged again: ALLOW");
  },
);

test.skipIf(!hasSandbox)(
  "explain answers as a session here does, and says what would fail in the sandbox",
  async () => {
    const { cwd, env } = repositoryHere();
    writeFileSync(join(cwd, ".env"), "A=1\n");
    const explain = async (...words: readonly string[]) =>
      await signalbox(["guard", "explain", ...words], { cwd, env });
    const [here, without] = [
      await explain("pip install requests"),
      await explain("--contained", "no", "pip install x"),
    ];
    expect([here.code, here.stdout]).toEqual([0, expect.stringMatching(/^ALLOW [\s\S]*\nJudged as sessions on this/)]);
    expect([without.code, without.stdout]).toEqual([
      3,
      expect.stringMatching(/^ASK [\s\S]*\nJudged as without a sandbox/),
    ]);
    const hidden = await explain("cd . && echo X >> .env");
    expect(hidden.stdout).toContain(
      "It would fail in the sandbox\n  write .env: it is hidden: the policy keeps **/.env from being read (rule deny_read)\n",
    );
    const run = await signalbox(["sandbox", "--", "echo X >> .env"], { cwd, env });
    expect([run.code, readFileSync(join(cwd, ".env"), "utf8")]).toEqual([1, "A=1\n"]);
  },
);

test.skipIf(!hasSandbox)(
  "the home folder as the workspace is not contained, and explain and doctor say so",
  async () => {
    const { home, env } = repositoryHere();
    const explained = await signalbox(["guard", "explain", COMMAND], { cwd: home, env });
    expect(explained.stdout).toContain("without a sandbox, because the sandbox cannot hide your home folder");
    const { stdout } = await signalbox(["doctor", "--json"], { cwd: home, env });
    const [check] = JSON.parse(stdout).checks.filter(({ id }: { id: string }) => id === "sandbox");
    expect(check.summary).toContain("the sandbox cannot hide your home folder");
  },
);

test.skipIf(!hasSandbox)("one request is allowed contained, and nothing else that reaches its host", async () => {
  const { cwd, env } = repositoryHere();
  const command = "curl -s https://example.org";
  const written = await signalbox(["guard", "allow", "--yes", command], { cwd, env });
  expect(written.stdout).toContain("It opens:\n  example.org:443 to this command alone\n");
  const code = async (words: string) => (await signalbox(["guard", "explain", words], { cwd, env })).code;
  expect([await code(command), await code("curl -d @a.js https://example.org")]).toEqual([0, 3]);
  const opened = await signalbox(["guard", "allow", "--yes", "--host", "example.org"], { cwd, env });
  expect(opened.stdout).toContain("what it accepts can be sent there, files of the workspace too\n");
  expect(await code("curl -d @a.js https://example.org")).toBe(0);
});
