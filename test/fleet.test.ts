import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import * as z from "zod";
import { begun, fleetScene, isGone, killed, workUntil } from "./support/fleet-scene.ts";
import { isAlive } from "./support/is-alive.ts";
import { killIfAlive } from "./support/kill-if-alive.ts";
import { natsProgram, startNats } from "./support/nats-server.ts";
import { signalbox } from "./support/run-signalbox.ts";
import { tempFolder } from "./support/temp-folder.ts";
import { withoutSandbox } from "./support/without-sandbox.ts";

const WRITE = [{ write: "b.txt", content: "new\n" }];

test("an order is done in a fresh workspace by another user's worker, and the submitter verifies the result", async () => {
  const { root, home, submit, trust, startWorker, until, receipts } = fleetScene();
  await trust("me", "worker");
  await trust("worker", "me");
  const id = await submit(WRITE, "--accept", "grep -q new b.txt && grep -q one a.txt");
  expect(await submit(WRITE, "--accept", "grep -q new b.txt && grep -q one a.txt")).toBe(id);
  startWorker("worker");
  expect(await until(id, "done")).toMatchObject({ attempt: 1, worker: expect.stringMatching(/^worker#/), lost: [] });
  const { code, lines } = await receipts("--pull");
  const folder = join(home("me"), ".signalbox/fleet/results", id);
  const receipt = { outcome: "ended", attempt: 1, exit_code: 0, because: "done and accepted" };
  expect([code, lines]).toEqual([0, [{ order: id, verified: true, folder, receipt }]]);
  execFileSync("git", ["apply", join(folder, "changes.patch")], { cwd: root });
  expect(readFileSync(join(root, "b.txt"), "utf8")).toBe("new\n");
  const runs = await signalbox(["runs"], { cwd: root, env: { PATH: process.env["PATH"], HOME: home("me") } });
  expect(runs.stdout).toMatch(/ fleet +ended \(0\) +on worker#\w+, attempt 1: done and accepted\n$/);
  expect(readdirSync(join(home("worker"), ".signalbox/fleet/work"))).toEqual([]);
});

test("a worker refuses the order of a stranger, and a submitter does not believe the receipt of one", async () => {
  const { submit, startWorker, until, receipts, trust } = fleetScene();
  const id = await submit(WRITE);
  startWorker("worker");
  await until(id, "done");
  const [unknown] = (await receipts()).lines;
  expect(unknown).toMatchObject({ verified: false, because: "it is signed with a key that is not trusted here" });
  await trust("me", "worker");
  const { code, lines } = await receipts("--pull");
  expect([code, lines]).toMatchObject([
    0,
    [{ verified: true, receipt: { outcome: "refused", because: expect.stringContaining("not trusted here") } }],
  ]);
});

test("a secret travels by name: the worker has the value, and without it the agent does not start", async () => {
  const { submit, startWorker, until, receipts, home, call } = fleetScene();
  const script = [{ say: "it is correct-horse-battery" }, { bash: "[ ${#MY_TOKEN} = 21 ] && touch has.txt" }];
  const missing = await submit(script, "--secret", "MY_TOKEN");
  const first = startWorker("me");
  await until(missing, "done");
  first.child.kill("SIGTERM");
  expect((await receipts()).lines[0]?.receipt).toMatchObject({
    outcome: "refused",
    because: "the worker has no value for MY_TOKEN",
  });
  const id = await submit(script, "--secret", "MY_TOKEN", "--key", "again");
  startWorker("me", { MY_TOKEN: "correct-horse-battery" });
  await until(id, "done");
  await receipts("--pull");
  const result = join(home("me"), ".signalbox/fleet/results", id);
  expect(readFileSync(join(result, "changes.patch"), "utf8")).toContain("has.txt");
  expect(readFileSync(join(result, "receipt.json"), "utf8")).not.toContain("correct-horse");
  const { code, stderr } = await call("me", "submit", "mock", "x", "--env", "MY_TOKEN=correct-horse-battery");
  expect([code, stderr]).toEqual([2, expect.stringContaining("pass its name: --secret MY_TOKEN")]);
});

test("an order waits for a worker that has what it needs", async () => {
  const { submit, startWorker, until, status } = fleetScene();
  const gpu = await submit(WRITE, "--needs", "label=gpu");
  const plain = await submit(WRITE);
  startWorker("me");
  await until(plain, "done");
  expect((await status(gpu)).state).toBe("ready");
  startWorker("me", {}, "--labels", "gpu,big");
  expect(await until(gpu, "done")).toMatchObject({ attempt: 1 });
});

test.skipIf(!existsSync("/proc/self"))(
  "the order of a killed worker starts again elsewhere, its agent is ended, and the lost attempt has a receipt",
  async () => {
    const { submit, startWorker, until, receipts, trust, home } = fleetScene();
    const folder = tempFolder();
    await trust("me", "worker");
    await trust("worker", "me");
    const id = await submit(workUntil(folder));
    const first = startWorker("worker");
    const [agent] = await begun(folder, 1);
    await killed(first.child);
    await isGone(agent);
    startWorker("me");
    await begun(folder, 2);
    writeFileSync(join(folder, "go"), "");
    expect(await until(id, "done")).toMatchObject({ attempt: 2, lost: [expect.stringContaining("no sign of life")] });
    const { lines } = await receipts("--pull");
    expect(lines).toMatchObject([{ verified: true, receipt: { outcome: "ended", attempt: 2, exit_code: 0 } }]);
    expect(existsSync(join(home("me"), ".signalbox/fleet/results", id, "changes.patch"))).toBe(true);
  },
);

test.skipIf(!existsSync("/proc/self"))(
  "the agent of a stopped worker ends before the order starts elsewhere, and what it says later does not count",
  async () => {
    const { submit, startWorker, until, receipts, trust } = fleetScene();
    const folder = tempFolder();
    await trust("me", "worker");
    await trust("worker", "me");
    const id = await submit(workUntil(folder));
    const first = startWorker("worker");
    const [agent] = await begun(folder, 1);
    first.child.kill("SIGSTOP");
    startWorker("me");
    const [, second] = await begun(folder, 2);
    expect([isAlive(Number(agent)), isAlive(Number(second))]).toEqual([false, true]);
    first.child.kill("SIGCONT");
    while (!first.said().includes("has lost its lease")) await sleep(50);
    writeFileSync(join(folder, "go"), "");
    expect(await until(id, "done")).toMatchObject({ attempt: 2, worker: expect.stringMatching(/^me#/) });
    expect((await receipts()).lines).toMatchObject([{ receipt: { attempt: 2, exit_code: 0 } }]);
  },
);

test.skipIf(!existsSync("/proc/self"))(
  "an order in work is canceled: its agent ends, and its receipt says so",
  async () => {
    const { submit, startWorker, until, receipts, call } = fleetScene();
    const folder = tempFolder();
    const id = await submit(workUntil(folder));
    startWorker("me");
    const [agent] = await begun(folder, 1);
    const { code, stderr } = await call("me", "cancel", id, "--reason", "no need");
    expect([code, stderr]).toEqual([0, expect.stringContaining("its worker was told")]);
    await until(id, "done");
    await isGone(agent);
    expect((await receipts()).lines).toMatchObject([{ verified: true, receipt: { outcome: "ended", exit_code: 130 } }]);
  },
);

test.skipIf(!existsSync("/proc/self"))(
  "an order whose process is killed each time is dead after its attempts, with a receipt for each",
  async () => {
    const { submit, startWorker, until, receipts } = fleetScene();
    const folder = tempFolder();
    const id = await submit([{ bash: `echo $PPID >> ${folder}/begun; sleep 60` }], "--attempts", "2");
    const worker = startWorker("me");
    for (const attempt of [1, 2]) killIfAlive(Number((await begun(folder, attempt)).at(-1)));
    expect(await until(id, "dead")).toMatchObject({
      attempt: 2,
      lost: [expect.stringContaining("SIGKILL"), expect.stringContaining("SIGKILL")],
    });
    expect([(await receipts()).lines, worker.child.exitCode]).toEqual([[], null]);
  },
);

test.each([
  ["no agent", ["submit", "do it"], "name the agent that does the work"],
  ["two tasks", ["submit", "mock", "one", "two"], "unexpected argument"],
  ["a need that nobody can have", ["submit", "mock", "x", "--needs", "gpu"], "is not something that a worker can have"],
  ["a time that is none", ["submit", "mock", "x", "--not-before", "soon"], "is not a time"],
  ["a secret that is none", ["submit", "mock", "x", "--secret", "COLOUR"], "is not the name of a secret"],
  ["a file from elsewhere", ["submit", "mock", "x", "--context", "../x"], "outside the workspace"],
  ["no capacity", ["worker", "--capacity", "0"], "--capacity needs a whole number from 1 to"],
  ["no attempt", ["submit", "mock", "x", "--attempts", "0"], "--attempts needs a whole number from 1 to"],
  ["an unknown order", ["status", "no"], "no such order"],
  ["an unknown order", ["cancel", "no"], "no such order"],
  ["a label that is none", ["worker", "--labels", "a b"], "cannot be the name of a worker or label"],
])("fleet with %s is a usage error: %j", async (_, args, message) => {
  const { call } = fleetScene();
  const { code, stderr } = await call("me", ...args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});

test("a key stands for one order only", async () => {
  const { submit, call } = fleetScene();
  const id = await submit(WRITE, "--key", "nightly");
  expect(await submit(WRITE, "--key", "nightly")).toBe(id);
  const { code, stderr } = await call("me", "submit", "mock", "something else", "--key", "nightly");
  expect([code, stderr]).toEqual([2, expect.stringContaining("another order was submitted under this key")]);
});

test.skipIf(natsProgram === undefined)(
  "one variable makes three machines of one: each order has one receipt",
  async () => {
    const { address } = await startNats();
    const { submit, startWorker, until, receipts, trust, home } = fleetScene(address);
    const users = ["one", "two", "three"];
    for (const user of users) {
      await trust("me", user);
      await trust(user, "me");
    }
    const numbers = Array.from({ length: 3 }, (_, index) => index);
    const ids: string[] = [];
    for (const number of numbers) ids.push(await submit([...WRITE, { say: `order ${number}` }], "--key", `${number}`));
    for (const user of users) startWorker(user);
    for (const id of ids) await until(id, "done");
    const { code, lines } = await receipts("--pull");
    expect(code).toBe(0);
    const seen = lines.map(({ order, verified, receipt }) => `${order} ${verified} ${receipt?.attempt}`);
    expect(seen.toSorted()).toEqual(ids.map((id) => `${id} true 1`).toSorted());
    for (const id of ids)
      expect(existsSync(join(home("me"), ".signalbox/fleet/results", id, "changes.patch"))).toBe(true);
  },
);

test.skipIf(natsProgram === undefined || !existsSync("/proc/self"))(
  "without its server a worker ends its agent, and goes on when the server is back",
  async () => {
    const server = await startNats();
    const { submit, startWorker, until, receipts } = fleetScene(server.address);
    const folder = tempFolder();
    const id = await submit(workUntil(folder));
    const worker = startWorker("me");
    const [agent] = await begun(folder, 1);
    await server.kill();
    await isGone(agent);
    await server.restart();
    await begun(folder, 2);
    writeFileSync(join(folder, "go"), "");
    expect(await until(id, "done")).toMatchObject({ attempt: 2, lost: [expect.any(String)] });
    expect((await receipts()).lines).toMatchObject([{ verified: true, receipt: { attempt: 2, exit_code: 0 } }]);
    expect(worker.child.exitCode).toBe(null);
  },
);

test("doctor says whether the fleet can be used", async () => {
  const look = async (place: string) => {
    const env = { PATH: process.env["PATH"], HOME: withoutSandbox(tempFolder()), SIGNALBOX_FLEET: place };
    const { stdout } = await signalbox(["doctor", "--json"], { cwd: tempFolder(), env });
    return Doctor.parse(JSON.parse(stdout)).checks.find(({ id }) => id === "fleet");
  };
  const folder = tempFolder();
  expect(await look(folder)).toMatchObject({ status: "ok", summary: `${folder}: 0 workers known` });
  expect(await look("nats://127.0.0.1:1")).toMatchObject({
    status: "warn",
    summary: expect.stringContaining("cannot be reached"),
  });
});

const Doctor = z.object({ checks: z.array(z.object({ id: z.string(), status: z.string(), summary: z.string() })) });
