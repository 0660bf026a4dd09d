import type { ChildProcess } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { repositoryWith } from "./support/git-repository.ts";
import { logsIn, scene } from "./support/native-scene.ts";
import { signalbox } from "./support/run-signalbox.ts";
import { tempFolder } from "./support/temp-folder.ts";

const person = () => ({ cwd: repositoryWith({ "a.txt": "a\n" }), env: { HOME: tempFolder() } });
const scripts = (...rounds: unknown[][]) => ["--param", `rounds=${JSON.stringify(rounds)}`];

const CHECK = "echo it is not there; test -e made.txt";
const LIE = [{ say: "done" }];
const WORK = [{ write: "made.txt", content: "" }, { say: "now" }];

const lines = (stderr: string) =>
  stderr
    .split("\n")
    .filter((line) => line !== "" && !/^signalbox: (?:run|receipt|turn) /.test(line))
    .map((line) => line.replace("signalbox: ", ""));

async function until(isTrue: () => boolean): Promise<void> {
  for (let tries = 0; tries < 1000; tries++) {
    if (isTrue()) return;
    await sleep(20);
  }
  throw new Error("it never happened");
}

test("an error of several lines is not taken for the output of a check", async () => {
  const { code, stderr } = await signalbox(
    ["run", "mock", "do it", "--accept", CHECK, ...scripts([{ rubbish: 1 }], [{ rubbish: 2 }])],
    person(),
  );
  expect([code, stderr]).toEqual([2, expect.stringContaining("cannot read the mock's script")]);
  expect(stderr).not.toContain("the end of the check's output");
});

test("one line for each attempt, the output of the check once, the verdict last", async () => {
  const run = ["run", "mock", "do it", "--accept", CHECK];
  const never = await signalbox([...run, "--rounds", "3", ...scripts(LIE)], person());
  expect([never.code, lines(never.stderr)]).toEqual([
    4,
    [
      `round 1 of 3 not accepted: '${CHECK}' exited 1`,
      `round 2 of 3 not accepted: '${CHECK}' exited 1`,
      `round 3 of 3 not accepted: '${CHECK}' exited 1`,
      "the end of the check's output:",
      "it is not there",
      `failed: claimed done, not accepted after 3 rounds: '${CHECK}' exited 1`,
    ],
  ]);
  const options = person();
  const later = await signalbox(
    ["auto", "--agent", "mock", "--task", "do it", "--accept", CHECK, ...scripts(LIE, WORK)],
    options,
  );
  expect([later.code, lines(later.stderr)]).toEqual([
    0,
    [`round 1 of 5 not accepted: '${CHECK}' exited 1`, "complete: done and accepted after 2 rounds"],
  ]);
  const { stdout } = await signalbox(["receipt", "show", "last"], options);
  expect(stdout).toContain(
    `check      round 1 failed with exit code 1: ${CHECK}\ncheck      round 2 passed: ${CHECK}\n`,
  );
  expect((await signalbox(["receipt", "verify"], options)).code).toBe(0);
});

test("an agent that changes the check is told so, and accepted only with the check as it was", async () => {
  const honest = "test -e made.txt\n";
  const options = { ...person(), cwd: repositoryWith({ "check.sh": honest }) };
  const cheat = [{ write: "check.sh", content: "true\n" }, { say: "done" }];
  const run = ["run", "mock", "do it", "--accept", "sh check.sh", "--rounds", "2"];
  const never = await signalbox([...run, ...scripts(cheat, LIE)], options);
  expect([never.code, lines(never.stderr)[0]]).toEqual([
    8,
    expect.stringMatching(/^round 1 of 2 not accepted: .*check\.sh/),
  ]);
  const repent = [{ write: "check.sh", content: honest }, ...WORK];
  writeFileSync(join(options.cwd, "check.sh"), honest);
  const later = await signalbox([...run, ...scripts(cheat, repent)], options);
  expect([later.code, lines(later.stderr)]).toEqual([
    0,
    [lines(never.stderr)[0], "complete: done and accepted after 2 rounds"],
  ]);
});

test("rounds need a check; auto without one has one round", async () => {
  const without = await signalbox(["run", "mock", "x", "--rounds", "2"], person());
  expect([without.code, without.stderr.split("\n")[0]]).toEqual([
    2,
    "signalbox: --rounds needs a check that decides whether the work is done",
  ]);
  const auto = await signalbox(["auto", "--agent", "mock", "--task", "x"], person());
  expect([auto.code, auto.stdout]).toEqual([0, "mock: x\n"]);
});

test("cancel ends a run while the check of its second round runs", async () => {
  const options = person();
  const mark = join(options.cwd, ".git/mark");
  const slow = `test -e ${mark} || { touch ${mark}; exit 1; }; touch ${mark}.2; sleep 300`;
  const during = async () => {
    await until(() => existsSync(`${mark}.2`));
    await signalbox(["cancel", "last", "--reason", "enough"], options);
  };
  const run = ["run", "mock", "do it", "--accept", slow, "--rounds", "3", ...scripts(LIE)];
  const { code, stderr } = await signalbox(run, { ...options, during });
  expect([code, lines(stderr).slice(1)]).toEqual([130, ["partial: cancelled: enough"]]);
  const { stdout } = await signalbox(["receipt", "show", "last"], options);
  expect(stdout).toContain("outcome    interrupted: cancelled: enough\ncheck      round 1 failed with exit code 1: ");
});

test("a run that is killed in its second round leaves a receipt with the first attempt and all it used", async () => {
  const options = person();
  const usage = { usage: { input_tokens: 7 } };
  const during = async (child: ChildProcess) => {
    await until(() => existsSync(join(options.cwd, "second.txt")));
    child.kill("SIGKILL");
  };
  const second = [usage, { bash: "touch second.txt" }, { wait_ms: 60_000 }];
  const run = ["run", "mock", "do it", "--accept", CHECK, "--rounds", "3", ...scripts([usage, ...LIE], second)];
  await signalbox(run, { ...options, during });
  await signalbox(["runs"], options);
  const { stdout } = await signalbox(["receipt", "show", "last"], options);
  const outcome = "outcome    interrupted: signalbox was killed before the run ended";
  expect(stdout).toContain(`${outcome}\ncheck      failed with exit code 1: ${CHECK}\n`);
  expect(stdout).toContain("(14 tokens in, ? out)");
  expect((await signalbox(["receipt", "verify"], options)).code).toBe(0);
});

test("native hands a check back to itself; with --rounds the run does, in the same session", async () => {
  const turns = [{ text: "done" }, { text: "really done" }, { shell: "touch made.txt" }, { text: "now" }];
  const native = ["run", "native", "do it", "--accept", "test -e made.txt"];
  const own = await scene({ turns });
  expect([(await own.run(native)).code, own.server.requests.length]).toEqual([0, 4]);
  const two = await scene({ turns });
  const never = await two.run([...native, "--rounds", "2"]);
  expect([never.code, two.server.requests.length, logsIn(two.sessions).length]).toEqual([4, 2, 1]);
  const five = await scene({ turns });
  const later = await five.run(["auto", "--agent", "native", "--task", "do it", "--accept", "test -e made.txt"]);
  expect([later.code, lines(later.stderr).at(-1), five.server.requests.length, logsIn(five.sessions).length]).toEqual([
    0,
    "complete: done and accepted after 3 rounds",
    4,
    1,
  ]);
});
