import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AgentEvent } from "../src/contract/agent-event.ts";
import { Receipt } from "../src/contract/receipt.ts";
import { isOnPath } from "./support/is-on-path.ts";
import { repositoryWith } from "./support/git-repository.ts";
import { SIGNALBOX, signalbox } from "./support/run-signalbox.ts";
import { standInAgent } from "./support/stand-in-agent.ts";
import { withoutSandbox } from "./support/without-sandbox.ts";
import { tempFolder } from "./support/temp-folder.ts";
import { terminal } from "./support/tmux-terminal.ts";

/** Larger than a task could be once, with what a shell or a hasty reader would change. */
const LONG = `${"it's a 'long' task: $(rm -rf /) `x` \\ é\n".repeat(2600)}the end`;

/** Prints the records of a session that read its prompt whole. */
const CLAUDE = `cat > "$RECORD/stdin"; printf '%s\\n' '{"type":"result","subtype":"success","is_error":false,"result":"ok"}'`;

const eventsIn = (stdout: string) =>
  stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => AgentEvent.parse(JSON.parse(line)));

test("a task may be as large as a prompt: from argv, a file and stdin it reaches the agent byte for byte", async () => {
  const agent = standInAgent("claude", CLAUDE);
  const options = { cwd: repositoryWith({ "a.txt": "a\n" }), env: agent.env };
  const [file, received] = [join(agent.home, "task.md"), join(agent.env["RECORD"] ?? "", "stdin")];
  writeFileSync(file, LONG);
  expect(Buffer.byteLength(LONG)).toBeGreaterThan(106_000);
  const ways: [string[], string?][] = [
    [["auto", "--agent", "claude", "--task", LONG]],
    [["run", "claude", "--prompt-file", file]],
    [["run", "claude", "-"], LONG],
    [["run", "claude"], LONG],
  ];
  for (const [words, stdin] of ways) {
    writeFileSync(received, "");
    const outcome = await signalbox([...words, "--unguarded", "--json"], {
      ...options,
      ...(stdin === undefined ? {} : { input: stdin }),
    });
    expect([words[2], outcome.code, outcome.stderr, readFileSync(received, "utf8") === LONG]).toEqual([
      words[2],
      0,
      "",
      true,
    ]);
    const [first] = eventsIn(outcome.stdout);
    expect(first).toMatchObject({ type: "run_started", message: expect.stringMatching(/^claude: it's a 'long' task/) });
    expect(JSON.stringify(first).length).toBeLessThan(2000);
    const { path } = artifactOf(first);
    expect(readFileSync(join(options.cwd, path), "utf8")).toBe(`claude: ${LONG}`);
  }
  const both = await signalbox(["run", "claude", "x", "--prompt-file", file], options);
  expect([both.code, both.stderr.split("\n")[0]]).toEqual([2, "signalbox: more than one task was given"]);
  const nul = await signalbox(["run", "claude", "-"], { ...options, input: "a\0b" });
  expect([nul.code, nul.stderr.split("\n")[0]]).toEqual([2, "signalbox: the prompt contains a NUL byte"]);
});

function artifactOf(event: AgentEvent | undefined): { readonly path: string } {
  const artifact: unknown = event?.ext?.["artifact"];
  return { path: String(Object(artifact).path) };
}

test("warnings about the delivery of a prompt are shown by run, and are in its trace", async () => {
  const agent = standInAgent("claude", CLAUDE);
  const options = {
    cwd: repositoryWith({ "a.txt": "a\n" }),
    env: { ...agent.env, AMPLIHACK_PROMPT_DELIVERY: "tempfile" },
  };
  const shown = await signalbox(["run", "claude", "/help me", "--unguarded"], options);
  expect(shown.stderr).toContain("signalbox: warning: requested tempfile is unsupported by claude; using stdin\n");
  const { stdout } = await signalbox(["receipt", "show", "last", "--json"], options);
  const warnings = Receipt.parse(JSON.parse(stdout)).trace.flatMap((event) =>
    event.type === "warning" ? [event.message] : [],
  );
  expect(warnings).toEqual([
    "requested tempfile is unsupported by claude; using stdin",
    expect.stringContaining("command"),
  ]);
});

const DOCUMENT = {
  status: "success",
  response: "all done",
  session_id: "s",
  execution_trace: [
    { type: "tool_call", tool: "bash", arguments: { command: "ls" }, result: { success: true, output: "a" } },
  ],
  metadata: { total_tool_calls: 1 },
};
/** Prints its document over several lines, as Amplifier does, after a line of its own. */
const AMPLIFIER = `printf '%s\\0' "$@" > "$RECORD/words"; [ "$1" = --version ] && exit; echo 'Preparing the bundle'; cat <<'END'\n${JSON.stringify(DOCUMENT, null, 2)}\nEND`;

const WITHOUT_SANDBOX = [
  '  where: "sandbox: strict" in the policy',
  '  fix: set "sandbox: auto" in the policy, or use claude, codex, copilot, gemini or native',
  "",
];

const LAUNCH_REFUSED = `signalbox: a sandbox is required, but commands of Microsoft Amplifier cannot run in one, because it has no hooks
  where: "sandbox: strict" in the policy
  fix: set "sandbox: auto" in the policy, or start it with --unguarded
`;

test("Amplifier does the task of a run: unguarded and said so, and refused where a sandbox is required", async () => {
  const agent = standInAgent("amplifier", AMPLIFIER);
  const options = { cwd: repositoryWith({ "a.txt": "a\n" }), env: agent.env };
  const words = join(agent.env["RECORD"] ?? "", "words");
  const required = await signalbox(["run", "amplifier", "do it", "--require-sandbox"], options);
  const because = "a sandbox is required, but commands of amplifier cannot run in one, because it has no hooks";
  const refused = [3, `signalbox: ${because}`];
  expect([required.code, required.stderr.split("\n")[0]]).toEqual(refused);
  const policy = join(agent.home, "strict.yaml");
  writeFileSync(policy, "version: 1\nsandbox: strict\n");
  const strict = await signalbox(["run", "amplifier", "do it", "--policy", policy], options);
  expect([strict.code, strict.stderr.split("\n")[0], existsSync(words)]).toEqual([...refused, false]);

  for (const way of [
    ["run", "do it", "--acp", join(agent.folder, "amplifier")],
    ["run", "do it", "--sidecar", join(agent.folder, "amplifier")],
  ]) {
    const outcome = await signalbox([...way, "--policy", policy], options);
    expect([outcome.code, outcome.stderr.split("\n").slice(1), existsSync(words)]).toEqual([3, WITHOUT_SANDBOX, false]);
  }

  const own = join(agent.home, ".signalbox/policy.yaml");
  const off = readFileSync(own, "utf8");
  writeFileSync(own, "version: 1\nsandbox: strict\n");
  const launched = await signalbox(["amplifier", "--", "do it"], options);
  expect([launched.code, launched.stderr, existsSync(words)]).toEqual([3, LAUNCH_REFUSED, false]);
  writeFileSync(own, off);

  // A launch makes Amplifier the active agent of the folder.
  await signalbox(["amplifier", "--", "--version"], options);
  const run = await signalbox(["run", "do it", "--json", "--model", "m"], options);
  expect([run.code, run.stderr]).toEqual([0, ""]);
  expect(readFileSync(words, "utf8").split("\0").slice(0, -1)).toEqual([
    "run",
    "--output-format",
    "json-trace",
    "--model",
    "m",
    "do it",
  ]);
  const shown = eventsIn(run.stdout).map((event) => ("message" in event ? event.message : event.type));
  expect(shown).toEqual([
    "amplifier: do it",
    "unguarded: Microsoft Amplifier's tool calls are not checked, because Microsoft Amplifier has no hooks",
    "the agent printed: Preparing the bundle",
    "tool_call",
    "tool_result",
    "assistant_message",
    "run completed: complete",
  ]);
  const verified = await signalbox(["receipt", "verify", "last"], options);
  expect([verified.code, /was NOT guarded/.test(verified.stdout)]).toEqual([0, true]);
});

test("an Amplifier that fails, or prints no document, fails the run with its own words", async () => {
  const failing = (script: string) => ({
    cwd: repositoryWith({ "a.txt": "a\n" }),
    env: standInAgent("amplifier", script).env,
  });
  const error = await signalbox(
    ["run", "amplifier", "x"],
    failing(`echo '{"status":"error","error":"no provider"}'; exit 1`),
  );
  expect([error.code, error.stderr.includes("the agent failed: no provider")]).toEqual([1, true]);
  const silent = await signalbox(["run", "amplifier", "x"], failing("echo oops; echo why >&2; exit 9"));
  expect([silent.code, silent.stderr.includes("ended without a result: exit code 9: why")]).toEqual([7, true]);
});

test("a run inside runs is bounded as a launch is, and tells its commands how deep they are", async () => {
  const options = { cwd: repositoryWith({ "a.txt": "a\n" }), env: { HOME: withoutSandbox(tempFolder()) } };
  const deep = { ...options, env: { ...options.env, SIGNALBOX_RUN: "a:b:c:d:e:f:g:h" } };
  const refused = "signalbox: sessions are nested too deeply: this would be number 9, and the limit is 8";
  for (const words of [
    ["run", "mock", "t"],
    ["native", "-p", "x"],
  ]) {
    const { code, stderr } = await signalbox(words, deep);
    expect([words[0], code, stderr.split("\n")[0]]).toEqual([words[0], 3, refused]);
  }
  const nested = `'${SIGNALBOX}' run mock inner --root "$HOME"; echo "$? $AMPLIHACK_SESSION_DEPTH/$AMPLIHACK_MAX_DEPTH" > "$HOME/seen"`;
  const seen = async (env: NodeJS.ProcessEnv) => {
    const place = { ...options, env: { ...options.env, ...env } };
    await signalbox(["run", "mock", "t", "--accept", nested], place);
    return readFileSync(join(options.env.HOME, "seen"), "utf8");
  };
  expect(await seen({})).toBe("0 0/8\n");
  expect(await seen({ AMPLIHACK_MAX_DEPTH: "1" })).toBe("3 0/1\n");
  expect(await seen({ AMPLIHACK_SESSION_DEPTH: "1", AMPLIHACK_MAX_DEPTH: "2" })).toBe("3 1/2\n");
});

test.runIf(isOnPath("tmux"))("on a terminal a run counts the seconds until the agent does something", async () => {
  const cwd = repositoryWith({ a: "" });
  const script = JSON.stringify([{ wait_ms: 4500 }, { say: "finished" }]);
  const command = `'${SIGNALBOX}' run mock wait --param 'script=${script}'; echo "ended $?"; sleep 60`;
  const env = { HOME: tempFolder(), PATH: process.env["PATH"] ?? "" };
  const { shows, screen } = terminal({ cwd, env }, command);
  await shows("… waiting for mock, 2 s (Ctrl-C stops)");
  await shows("ended 0");
  expect(screen()).toContain("\nfinished\nsignalbox: complete");
  expect(screen()).not.toContain("… waiting");
  expect((await signalbox(["run", "mock", "wait", "--param", `script=${script}`], { cwd, env })).stderr).not.toContain(
    "…",
  );
});
