import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { trust } from "../src/guard/policy/trust.ts";
import { applyWanted } from "../src/staging/apply.ts";
import { writeEntry } from "../src/staging/entry.ts";
import { planStage } from "../src/staging/plan-stage.ts";
import { PROJECT, signalbox } from "./support/run-signalbox.ts";
import { tempFolder, tempRepository } from "./support/temp-folder.ts";

const CALL = { sessionId: "s", timestamp: 1, toolName: "bash", toolArgs: { command: "pwd" } };
const TOOLS = ".claude/tools";

interface Staged {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** A repository with the ancestor's scripts, trusted and staged. Its `python3` is a shell, so that scripts are short. */
async function staged(scripts: Readonly<Record<string, string>>): Promise<Staged> {
  const root = tempRepository();
  const user = tempFolder();
  put(join(user, "bin/python3"), '#!/bin/sh\nexec /bin/sh "$@"\n');
  const env = { HOME: user, PATH: `${user}/bin:${process.env["PATH"]}`, TMPDIR: user };
  const home = join(user, ".signalbox");
  for (const [path, text] of Object.entries(scripts)) {
    put(join(root, path), text);
    trust(home, { path: join(root, path), text, time: "" });
  }
  const request = { root, home, env, agents: ["copilot"] as const, required: false };
  const { kept } = await applyWanted(request, () => planStage(request));
  expect([kept, writeEntry(home)]).toEqual([[], true]);
  return { cwd: root, env };
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

/** Calls a wrapper as Copilot does. */
function call({ cwd, env }: Staged, wrapper: string, payload: object | string = { ...CALL, cwd }) {
  const input = typeof payload === "string" ? payload : JSON.stringify(payload);
  const { status, stdout, stderr } = spawnSync(`.github/hooks/${wrapper}`, { cwd, env, input, encoding: "utf8" });
  expect(stdout.trimEnd().split("\n"), "exactly one line").toHaveLength(1);
  const said: unknown = JSON.parse(stdout);
  return { status, said, stderr };
}

const print = (text: string, exit = 0) => `cat >/dev/null\nprintf '%s' '${text}'\nexit ${exit}\n`;
const denied = (because: unknown) => ({
  permissionDecision: "deny",
  permissionDecisionReason: because,
  message: because,
});

interface Vector {
  readonly case: string;
  readonly hook_stdout: { amplihack: string | null; xpia: string | null; xpia_exit?: number };
  readonly ancestor_output: Record<string, string>;
  readonly remark: string;
}

const VECTORS: readonly Vector[] = readFileSync(join(PROJECT, "test/fixtures/hooks/pre-tool-aggregation.jsonl"), "utf8")
  .trimEnd()
  .split("\n")
  .map((line): Vector => JSON.parse(line));

test.each(VECTORS)("pre-tool-use joins as documented, and shut where the ancestor was open: $case", async (vector) => {
  const { amplihack, xpia, xpia_exit: exit } = vector.hook_stdout;
  const paths = { xpia: `${TOOLS}/xpia/hooks/pre_tool_use.py`, amplihack: `${TOOLS}/amplihack/hooks/pre_tool_use.py` };
  const place = await staged({ [paths.xpia]: print(xpia ?? "", exit), [paths.amplihack]: print(amplihack ?? "") });
  if (xpia === null) rmSync(join(place.cwd, paths.xpia));
  if (amplihack === null) rmSync(join(place.cwd, paths.amplihack));
  const { status, said } = call(place, "pre-tool-use");
  expect([status, said]).toEqual([0, expectedOf(vector)]);
});

/** The ancestor's own answer, but a denial where it let a failed hook through, lost a denial, or did not see one. */
function expectedOf({ case: name, ancestor_output: output, remark }: Vector): object {
  const unread = ["followed by a log line", "decision wrong case"].some((odd) => name.includes(odd));
  const failed = remark.includes("FAIL-OPEN") || unread;
  if (name.includes("block:true only")) return denied("m");
  if (name.includes("pretty-printed")) return denied("x");
  if (failed) return denied(expect.stringMatching(/^the hook (?:xpia|amplihack)\/pre_tool_use\.py failed/));
  if (output["permissionDecision"] !== "deny") return expect.objectContaining(output);
  return denied(name.includes("without message") ? "blocked by the hook amplihack/pre_tool_use.py" : output["message"]);
}

const XPIA = `${TOOLS}/xpia/hooks/pre_tool_use.py`;
const AMPLIHACK = `${TOOLS}/amplihack/hooks/pre_tool_use.py`;
const decide = (decision: string) =>
  print(JSON.stringify({ permissionDecision: decision, permissionDecisionReason: "r" }));

test.each(["allow", "deny", "ask"])(
  "row 1: XPIA's %s is the answer, whatever the other hook says",
  async (decision) => {
    const place = await staged({ [XPIA]: decide(decision), [AMPLIHACK]: print('{"block":true}') });
    expect(call(place, "pre-tool-use").said).toMatchObject({
      permissionDecision: decision,
      permissionDecisionReason: "r",
    });
  },
);

test.each(["allow", "deny", "ask"])(
  "row 2: without a word from XPIA the other hook's %s is the answer",
  async (decision) => {
    const place = await staged({ [XPIA]: print("{}"), [AMPLIHACK]: decide(decision) });
    expect(call(place, "pre-tool-use").said).toMatchObject({
      permissionDecision: decision,
      permissionDecisionReason: "r",
    });
  },
);

test("row 3: block becomes a denial that carries its message in both fields", async () => {
  const place = await staged({ [XPIA]: print("{}"), [AMPLIHACK]: print('{"block":true,"message":"not on main"}') });
  expect(call(place, "pre-tool-use").said).toEqual(denied("not on main"));
});

test("row 4: nobody has an opinion", async () => {
  expect(call(await staged({}), "pre-tool-use")).toEqual({ status: 0, said: {}, stderr: "" });
});

test("several scripts of one event each read the same bytes, in order, also after one that fails", async () => {
  const keep = (name: string, exit: number) =>
    `printf '%s\\n' ${name} >> "$PWD/order.txt"; cat > "$PWD/${name}.txt"; exit ${exit}\n`;
  const hooks = `${TOOLS}/amplihack/hooks`;
  const place = await staged({
    [`${hooks}/stop.py`]: keep("stop", 1),
    [`${hooks}/session_stop.py`]: keep("session_stop", 0),
    [`${hooks}/user_prompt_submit.py`]: `cat > "$PWD/prompt.txt"; echo '{"additionalContext":"one"}'`,
    [`${hooks}/workflow_classification_reminder.py`]: `cat > "$PWD/reminder.txt"; echo '{"additionalContext":"two"}'`,
  });
  const payload = `{"sessionId": "s",  "cwd": ${JSON.stringify(place.cwd)}, "reason": "complete", "x": "ü\\n'\\"$(id)"}\n\n`;
  const read = (name: string) => readFileSync(join(place.cwd, name), "utf8");
  expect(call(place, "session-stop", payload).said).toEqual({});
  expect([read("order.txt"), read("stop.txt"), read("session_stop.txt")]).toEqual([
    "stop\nsession_stop\n",
    payload,
    payload,
  ]);
  const prompt = payload.replace('"reason"', '"prompt"');
  expect(call(place, "user-prompt-submit", prompt).said).toEqual({ additionalContext: "one\n\ntwo" });
  expect([read("prompt.txt"), read("reminder.txt")]).toEqual([prompt, prompt]);
});

test("the ancestor's stop.py may refuse a stop, and runs at the end of a session only if there was none", async () => {
  const hooks = `${TOOLS}/amplihack/hooks`;
  const place = await staged({
    [`${hooks}/stop.py`]: `printf 'stop ' >> "$PWD/order.txt"; echo '{"decision":"block","reason":"tests fail"}'`,
    [`${hooks}/session_stop.py`]: `printf 'end ' >> "$PWD/order.txt"`,
  });
  const session = (sessionId: string) => JSON.stringify({ sessionId, cwd: place.cwd });
  expect(call(place, "agent-stop", session("one")).said).toEqual({ decision: "block", reason: "tests fail" });
  for (const id of ["one", "two"]) expect(call(place, "session-stop", session(id)).said).toEqual({});
  expect(readFileSync(join(place.cwd, "order.txt"), "utf8")).toBe("stop end stop end ");
});

test("a script that knows Claude Code's names alone works under Copilot", async () => {
  const script = `case $(cat) in *'"tool_name":"Bash"'*'"tool_input":{"command":"pwd"}'*) echo '{"block":true,"message":"seen"}' ;; esac`;
  const place = await staged({ [AMPLIHACK]: script });
  expect(call(place, "pre-tool-use").said).toEqual(denied("seen"));
  const asText = { ...CALL, cwd: place.cwd, toolArgs: '{"command":"pwd"}' };
  expect(call(place, "pre-tool-use", asText).said).toEqual(denied("seen"));
});

test("a hook with a nasty name is called, and named when it cannot be started any more", async () => {
  const name = 'tool-before it\'s "x"\n$(id)';
  const path = `.signalbox/hooks/${name}`.replace("tool-before ", "tool-before-");
  const place = await staged({ [path]: '#!/bin/sh\necho \'{"block":true,"message":"seen"}\'\n' });
  expect(call(place, "pre-tool-use").said).toEqual(denied("seen"));
  chmodSync(join(place.cwd, path), 0o644);
  expect(call(place, "pre-tool-use").said).toEqual(denied(expect.stringContaining("failed, so the call is blocked")));
});

test("what the guard denies is denied before any hook is asked", async () => {
  const place = await staged({ [XPIA]: decide("allow") });
  const { status, said } = call(place, "pre-tool-use", { ...CALL, cwd: place.cwd, toolArgs: { command: "sudo ls" } });
  expect([status, said]).toEqual([0, denied(expect.stringContaining("Blocked `sudo ls`: "))]);
});

test("a hook that is not trusted, or was changed since, is named and skipped", async () => {
  const place = await staged({ [AMPLIHACK]: print("{}") });
  put(join(place.cwd, AMPLIHACK), print('{"permissionDecision":"allow"}'));
  const { said, stderr } = call(place, "pre-tool-use");
  expect([said, stderr]).toEqual([{}, expect.stringContaining("amplihack/pre_tool_use.py of this repository")]);
});

test.each([
  ["rust", "is rust"],
  ["ruby", "not rust, python or auto"],
])("AMPLIHACK_HOOK_ENGINE=%s that cannot be had denies calls and refuses to stage", async (engine, because) => {
  const place = await staged({ [AMPLIHACK]: print("{}") });
  const env = { ...place.env, AMPLIHACK_HOOK_ENGINE: engine };
  const { status, said } = call({ ...place, env }, "pre-tool-use");
  expect([status, said]).toEqual([2, denied(expect.stringContaining(because))]);
  const again = await signalbox(["stage"], { cwd: place.cwd, env });
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining(because)]);
});

test("AMPLIHACK_HOOK_ENGINE=rust calls the ancestor's own program with the name that it knows", async () => {
  const place = await staged({ [AMPLIHACK]: print("{}") });
  put(
    join(place.env["HOME"] ?? "", "bin/amplihack-hooks"),
    `#!/bin/sh\ncat >/dev/null; echo "{\\"block\\":true,\\"message\\":\\"rust $1\\"}"\n`,
  );
  const rust = { ...place, env: { ...place.env, AMPLIHACK_HOOK_ENGINE: "rust" } };
  expect(call(rust, "pre-tool-use").said).toEqual(denied("rust pre-tool-use"));
  expect(call({ ...place, env: { ...place.env, AMPLIHACK_HOOK_ENGINE: "python" } }, "pre-tool-use").said).toEqual({});
});

describeFaults();

function describeFaults(): void {
  let place: Staged;
  beforeAll(async () => {
    const cwd = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-test-")));
    const home = join(cwd, "home");
    mkdirSync(join(cwd, "repository"), { recursive: true });
    mkdirSync(home);
    place = { cwd: join(cwd, "repository"), env: { HOME: home, PATH: process.env["PATH"], TMPDIR: home } };
    execFileSync("git", ["init", "-q", place.cwd]);
    expect((await signalbox(["stage", "copilot"], place)).code).toBe(0);
    return () => rmSync(cwd, { recursive: true, force: true });
  }, 60_000);

  const FAULTS: readonly (readonly [name: string, entry: string, mode: number])[] = [
    ["prints nothing", "#!/bin/sh\n", 0o700],
    ["exits 1", "#!/bin/sh\nexit 1\n", 0o700],
    ["is killed", "#!/bin/sh\nkill -9 $$\n", 0o700],
    ["prints garbage", "#!/bin/sh\necho garbage\n", 0o700],
    ["prints an allowance without the seal", `#!/bin/sh\necho '{"permissionDecision":"allow"}'\n`, 0o700],
    ["prints half an answer", "#!/bin/sh\nprintf '{}\\n\\nsignalbox-ans'\n", 0o700],
    ["prints a seal with another code", "#!/bin/sh\nprintf '{}\\n\\nsignalbox-answer 1\\n'\n", 0o700],
    ["is not executable", "#!/bin/sh\n", 0o600],
    ["has an interpreter that is gone", "#!/nowhere/sh\n", 0o700],
    ["prints 10 MB", "#!/bin/sh\nhead -c 10000000 /dev/zero | tr '\\0' x\n", 0o700],
  ];

  test.each(FAULTS)("an entry that %s denies the tool call and refuses a stop once", (_, text, mode) => {
    const home = join(place.cwd, "../fault-home");
    rmSync(home, { recursive: true, force: true });
    put(join(home, "bin/hook"), text);
    chmodSync(join(home, "bin/hook"), mode);
    const broken = { ...place, env: { ...place.env, SIGNALBOX_HOME: home } };
    const { status, said, stderr } = call(broken, "pre-tool-use");
    expect([status, said, stderr]).toEqual([2, denied(expect.stringContaining("did not answer")), expect.any(String)]);
    expect(stderr).toContain("did not answer");
    const stop = { sessionId: "s", cwd: place.cwd, stopReason: "end_turn", stop_hook_active: false };
    expect(call(broken, "agent-stop", stop)).toMatchObject({ status: 2, said: { decision: "block" } });
    expect(call(broken, "agent-stop", { ...stop, stop_hook_active: true })).toMatchObject({ status: 0, said: {} });
    expect(call(broken, "session-start", { sessionId: "s", cwd: place.cwd })).toEqual({
      status: 0,
      said: {},
      stderr: "",
    });
  });

  test.each([
    ["nothing", ""],
    ["half an object", '{"toolName":"bash"'],
    ["a key twice", '{"toolName":"bash","toolName":"view","toolArgs":{}}'],
    ["Claude Code's shape", '{"tool_name":"Bash","tool_input":{"command":"pwd"}}'],
    ["no object", "[]"],
    ["one nested too deep", `{"toolName":"bash","toolArgs":${'{"a":'.repeat(300)}1${"}".repeat(300)}}`],
  ])("a payload that is %s denies", (_, payload) => {
    const { status, said } = call(place, "pre-tool-use", payload);
    expect([status, said]).toEqual([2, denied(expect.stringContaining("could not read this hook call"))]);
  });

  test("a call of 5 MB is answered, and one with a deep secret in it is judged to its end", () => {
    const content = "x".repeat(5_000_000);
    const create = { ...CALL, cwd: place.cwd, toolName: "create", toolArgs: { path: "big.txt", file_text: content } };
    expect(call(place, "pre-tool-use", create).said).toEqual({});
    const late = { ...CALL, cwd: place.cwd, toolArgs: { description: content, command: "sudo ls" } };
    expect(call(place, "pre-tool-use", late).said).toMatchObject({ permissionDecision: "deny" });
  });

  test("the entry, the shell and node are not looked for on PATH or in the workspace", () => {
    const planted = join(place.cwd, "planted");
    for (const name of ["sh", "node", "cat", "printf", "timeout"])
      put(join(planted, name), '#!/bin/sh\necho \'{"permissionDecision":"allow"}\'\n');
    const env = { ...place.env, PATH: `${planted}:${place.env["PATH"]}`, NODE_OPTIONS: "--require /nowhere.js" };
    expect(call({ ...place, env }, "pre-tool-use").said).toEqual({});
  });
}
