import type { ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { isAlive } from "./support/is-alive.ts";
import { AgentEvent } from "../src/contract/agent-event.ts";
import { Receipt } from "../src/contract/receipt.ts";
import { git, repositoryWith, writeFiles } from "./support/git-repository.ts";
import { signalbox } from "./support/run-signalbox.ts";
import { tempFolder } from "./support/temp-folder.ts";

const script = (...steps: unknown[]) => ["--param", `script=${JSON.stringify(steps)}`];
const person = () => ({ cwd: repositoryWith({ "a.txt": "a\n" }), env: { HOME: tempFolder() } });

const runsOf = async (options: { cwd: string; env: NodeJS.ProcessEnv }) => {
  const { stdout } = await signalbox(["runs", "--json"], options);
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
};

/** Waits for something that another process does. */
async function until<Value>(look: () => Promise<Value | undefined> | Value | undefined): Promise<Value> {
  for (let tries = 0; tries < 400; tries++) {
    const found = await look();
    if (found !== undefined) return found;
    await sleep(50);
  }
  throw new Error("it never happened");
}

test("a run says what the agent says on stdout, and how it ended on stderr", async () => {
  const options = person();
  const outcome = await signalbox(["run", "mock", "greet", ...script({ say: "hello there" })], options);
  expect([outcome.code, outcome.stdout]).toEqual([0, "hello there\n"]);
  expect(outcome.stderr).toMatch(
    /^signalbox: run [0-9a-f-]{36} in .*\nsignalbox: complete: done\nsignalbox: receipt [0-9a-f]{64};/,
  );
});

test("a call that was denied is said once, whether the host warns of it or only its result tells", async () => {
  const denied = async (args: string[]) => {
    const { stderr } = await signalbox(["run", ...args], person());
    return stderr.split("\n").filter((line) => /denied: /.test(line));
  };
  const mock = await denied(["mock", "task", ...script({ write: "/etc/x", content: "" }, { bash: "sudo ls" })]);
  const like = (pattern: RegExp) => expect.stringMatching(pattern);
  expect(mock).toEqual([like(/^signalbox: denied: /), like(/: needs root .*: signalbox guard explain 'sudo ls'$/)]);
  const host = `'${process.execPath}' '${join(import.meta.dirname, "fixtures/hosts/bad-host.mjs")}' tells-a-denial`;
  expect(await denied(["--sidecar", host, "task"])).toEqual(["signalbox: denied: a floor keeps it"]);
});

test("with --json stdout holds events and nothing else: the first has the run's id, the last its receipt", async () => {
  const options = person();
  const outcome = await signalbox(["run", "mock", "greet", "--json", ...script({ bash: "echo hi" })], options);
  const events = outcome.stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => AgentEvent.parse(JSON.parse(line)));
  expect([outcome.code, outcome.stderr, events.map(({ type }) => type)]).toEqual([
    0,
    "",
    ["run_started", "tool_call", "tool_result", "run_completed"],
  ]);
  const runId = String(events[0]?.ext?.["run_id"]);
  const file = join(options.env.HOME, ".signalbox/receipts", `${runId}.json`);
  const hash = createHash("sha256").update(readFileSync(file)).digest("hex");
  expect(events.at(-1)?.ext).toMatchObject({ run_id: runId, receipt_sha256: hash, receipt_file: file, exit_code: 0 });
  const shown = await signalbox(["receipt", "show", runId, "--json"], options);
  expect(Receipt.parse(JSON.parse(shown.stdout))).toMatchObject({ receipt_sha256: hash, meta: { run_id: runId } });
});

test.each([
  ["a check that fails", ["--accept", "false"], [{ say: "done" }], 4],
  ["a call that is denied", [], [{ write: "/etc/x", content: "" }], 3],
  ["a limit on turns", ["--max-turns", "1"], [{ bash: "echo 1" }, { bash: "echo 2" }], 5],
  ["a limit on cost", ["--max-budget-usd", "0.5"], [{ usage: { estimated_cost_usd: 0.75 } }], 5],
  ["a limit on time", ["--timeout", "1"], [{ wait_ms: 60_000 }], 5],
  ["the same again and again", [], Array.from({ length: 25 }, () => ({ bash: "echo same" })), 6],
  ["a crash", [], [{ crash: "gone" }], 7],
  ["a failure", [], [{ end: "failed" }], 1],
])("%s has its own exit code", async (_, flags, steps, code) => {
  const outcome = await signalbox(["run", "mock", "task", ...flags, ...script(...steps)], person());
  expect(outcome.code).toBe(code);
});

test.each(["ignores-cancel", "stalls", "deaf"])("a host that %s does not keep signalbox from ending", async (way) => {
  const host = `'${process.execPath}' '${join(import.meta.dirname, "fixtures/hosts/bad-host.mjs")}' ${way}`;
  const outcome = await signalbox(["run", "--sidecar", host, "task", "--timeout", "1"], person());
  expect(outcome.code).toBe(5);
});

test.each([
  ["no task", ["run", "mock"], 2],
  ["two tasks", ["run", "mock", "a", "b"], 2],
  ["an unknown agent", ["run", "nobody", "task"], 2],
  ["a host that is not there", ["run", "--sidecar", "/no/such/host", "task"], 127],
  ["an open quote", ["run", "--sidecar", "'node", "task"], 2],
  ["a bad number", ["run", "mock", "task", "--max-turns", "many"], 2],
  ["a bad pattern", ["run", "mock", "task", "--deny-read", "["], 2],
  ["a broken order", ["run", "mock", "--order", "/dev/null"], 2],
  ["a run that is not there", ["apply", "0000"], 2],
])("%s is said clearly", async (_, args, code) => {
  const outcome = await signalbox(args, person());
  expect([outcome.code, outcome.stderr.includes("internal error")]).toEqual([code, false]);
});

test.each([
  ["--timeout", "0"],
  ["--timeout", "0.000"],
  ["--idle", "0"],
])("%s %s would end every run at once: it is wrong usage, before anything is written", async (flag, value) => {
  const options = person();
  const { code, stdout, stderr } = await signalbox(["run", "mock", "task", flag, value], options);
  expect([code, stdout, stderr, existsSync(join(options.env.HOME, ".signalbox"))]).toEqual([
    2,
    "",
    `signalbox: ${flag} needs a number of seconds above 0\n  where: ${flag}\n  fix: for example ${flag} 600, or leave it out\n`,
    false,
  ]);
});

test("an agent that is not installed is exit 127, before anything happens", async () => {
  const options = person();
  const env = { ...options.env, PATH: "/usr/bin:/bin" };
  const outcome = await signalbox(["run", "claude", "task"], { ...options, env });
  expect([outcome.code, existsSync(join(options.env.HOME, ".signalbox/runs"))]).toEqual([127, false]);
});

test.each([
  [["run", "claud", "task"], 'no host is named "claud"; did you mean claude?'],
  [["run", "--backend", "sidecar:natve", "--task", "task"], 'no host is named "natve"; did you mean native?'],
  [["run", "mend", "the", "tests"], 'no host is named "mend"'],
])("a name that no host has is wrong usage, and the nearest one is suggested: %j", async (args, said) => {
  const options = person();
  const { code, stderr } = await signalbox(args, options);
  expect([code, stderr.split("\n")[0], existsSync(join(options.env.HOME, ".signalbox/runs"))]).toEqual([
    2,
    `signalbox: ${said}`,
    false,
  ]);
  expect(stderr).toContain("fix: use amplifier, claude, codex, copilot, gemini, mock, native,");
});

test("a whole order from a file is carried out; the task of other tools' spelling too", async () => {
  const options = person();
  const ancestors = await signalbox(["run", "--backend", "sidecar:mock", "--task", "greet"], options);
  expect([ancestors.code, ancestors.stdout]).toEqual([0, "mock: greet\n"]);
});

test("receipts of runs verify: good ones, failed ones, and those with artifacts of a copy that is gone", async () => {
  const options = person();
  await signalbox(["run", "mock", "task", ...script({ write: "b.txt", content: "" })], options);
  await signalbox(["run", "mock", "task", "--accept", "false"], options);
  await signalbox(["run", "mock", "task", "--staged", ...script({ bash: "seq 1 9999" }, { crash: "gone" })], options);
  const verified = await signalbox(["receipt", "verify"], options);
  expect([verified.code, (await runsOf(options)).length]).toEqual([0, 3]);
});

test("a staged result waits, is brought back once, and only onto the same base", async () => {
  const options = person();
  const write = script({ write: "made.txt", content: "made\n" }, { write: "a.txt", content: "changed\n" });
  const outcome = await signalbox(["run", "mock", "task", "--staged", ...write], options);
  const [run] = await runsOf(options);
  expect([outcome.code, existsSync(join(options.cwd, "made.txt")), git(options.cwd, "status", "--porcelain")]).toEqual([
    0,
    false,
    "",
  ]);

  writeFiles(options.cwd, { "other.txt": "the person went on\n" });
  const moved = await signalbox(["apply", run.run_id], options);
  expect([moved.code, moved.stderr.includes("other.txt")]).toEqual([3, true]);
  git(options.cwd, "clean", "-fdq");

  const applied = await signalbox(["apply", run.run_id.slice(0, 8)], options);
  expect([applied.code, git(options.cwd, "status", "--porcelain")]).toEqual([0, " M a.txt\n?? made.txt\n"]);
  expect((await signalbox(["apply", run.run_id], options)).code).toBe(3);
  expect((await runsOf(options))[0].state).toBe("applied");
});

test("a staged result that was not accepted is brought back only on demand, and the run says how", async () => {
  const options = person();
  const outcome = await signalbox(
    ["run", "mock", "task", "--staged", "--accept", "false", ...script({ write: "b.txt", content: "" })],
    options,
  );
  const [run] = await runsOf(options);
  expect(outcome.stderr).toContain(
    `signalbox: the result is kept; to apply it anyway: signalbox apply ${run.run_id} --unaccepted\n`,
  );
  expect((await signalbox(["apply", run.run_id], options)).code).toBe(3);
  expect((await signalbox(["apply", run.run_id, "--unaccepted"], options)).code).toBe(0);
});

test("a staged result with protected files is brought back only with the flag that allows it", async () => {
  const test = "mkdir .claude && echo {} > .claude/settings.json && git init -q n && echo x > n/x && ln -s /etc way";
  const options = {
    cwd: repositoryWith({ "package.json": JSON.stringify({ scripts: { test } }) }),
    env: { HOME: tempFolder() },
  };
  const outcome = await signalbox(
    ["run", "mock", "t", "--staged", "--accept", "true", ...script({ bash: "npm test" })],
    options,
  );
  expect([outcome.code, outcome.stderr]).toEqual([0, expect.not.stringContaining("fault")]);
  const refused = await signalbox(["apply", "last"], options);
  expect([refused.code, git(options.cwd, "status", "--porcelain")]).toEqual([3, ""]);
  const [run] = await runsOf(options);
  expect(refused.stderr).toMatch(
    /^signalbox: blocked: this result changes protected files:\n {2}\.claude\/settings\.json: .*\n {2}way: it is a link out of the workspace, to \/etc\n/,
  );
  expect(refused.stderr).toContain(`signalbox apply ${run.run_id} --allow-protected`);
  const applied = await signalbox(["apply", "last", "--allow-protected"], options);
  expect([applied.code, applied.stderr]).toEqual([0, expect.stringContaining("  .claude/settings.json: ")]);
  expect(git(options.cwd, "status", "--porcelain", "-uall")).toBe("?? .claude/settings.json\n?? n/x\n?? way\n");
});

test("a staged run that changed nothing offers nothing, and has nothing to bring back", async () => {
  const options = person();
  const outcome = await signalbox(["run", "mock", "task", "--staged", ...script({ say: "looked" })], options);
  const [run] = await runsOf(options);
  const applied = await signalbox(["apply", run.run_id], options);
  expect([outcome.code, outcome.stderr.includes("signalbox apply"), applied.code]).toEqual([0, false, 3]);
  expect(applied.stderr).toContain("signalbox: this run changed nothing\n");
});

test("a run in place that failed is not said to wait for --unaccepted", async () => {
  const options = person();
  await signalbox(["run", "mock", "task", ...script({ end: "failed" })], options);
  const [run] = await runsOf(options);
  const applied = await signalbox(["apply", run.run_id], options);
  expect([applied.code, applied.stderr.split("\n")[0]]).toEqual([3, "signalbox: this run worked in place"]);
});

test("cancel ends a run from elsewhere, with a receipt that says why", async () => {
  const options = person();
  const running = signalbox(["run", "mock", "task", "--json", ...script({ wait_ms: 60_000 })], options);
  const run = await until(async () => (await runsOf(options))[0]);
  const cancelled = await signalbox(["cancel", run.run_id, "--reason", "enough"], options);
  const outcome = await running;
  expect([cancelled.code, outcome.code, outcome.stdout.includes("cancelled: enough")]).toEqual([0, 130, true]);
  expect((await signalbox(["cancel", run.run_id], options)).code).toBe(2);
});

test.each(["SIGINT", "SIGTERM", "SIGQUIT"] as const)(
  "%s ends a run as 130, with a receipt, and nothing is left running",
  async (signal) => {
    const options = person();
    const mark = join(tempFolder(), "pid");
    const outcome = await signalbox(
      ["run", "mock", "task", "--json", ...script({ bash: `echo $$ > ${mark}; sleep 600` })],
      {
        ...options,
        during: async (child) => {
          await until(() => (existsSync(mark) && readFileSync(mark, "utf8") !== "" ? true : undefined));
          child.kill(signal);
        },
      },
    );
    const pid = Number(readFileSync(mark, "utf8"));
    expect([outcome.code, isAlive(pid)]).toEqual([130, false]);
    expect((await signalbox(["receipt", "verify", "last"], options)).code).toBe(0);
  },
);

test("a reader that goes away ends the run in good order: the call that runs is finished, the next one never begins", async () => {
  const options = person();
  const steps = script(
    { say: "one" },
    { bash: "sleep 1; echo 1 > first.txt" },
    { say: "two" },
    { bash: "echo 2 > second.txt" },
  );
  const { code } = await signalbox(["run", "mock", "task", "--json", ...steps], {
    ...options,
    reader: "grep -m 1 tool_call",
  });
  const [run] = await runsOf(options);
  const made = ["first.txt", "second.txt"].map((name) => existsSync(join(options.cwd, name)));
  expect([code, run.state, made]).toEqual([130, "interrupted", [true, false]]);
  expect((await signalbox(["receipt", "verify", "last"], options)).code).toBe(0);
});

test("runs are listed also when one that was killed cannot be closed, because the store is broken", async () => {
  const options = person();
  await signalbox(["run", "mock", "first"], options);
  const during = async (child: ChildProcess) => {
    await until(async () => ((await runsOf(options)).length === 2 ? true : undefined));
    child.kill("SIGKILL");
  };
  await signalbox(["run", "mock", "second", ...script({ wait_ms: 60_000 })], { ...options, during });
  writeFiles(join(options.env.HOME, ".signalbox/receipts"), { "chain.jsonl": "" });
  const { code, stdout, stderr } = await signalbox(["runs"], options);
  expect([code, stdout.split("\n").map((line) => line.split("  ").at(-1))]).toEqual([1, ["first", "second", ""]]);
  expect(stderr).toContain("the stored receipts do not match their signed head");
});
