import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { isAlive } from "../../../test/support/is-alive.ts";
import { runOrder } from "../../../test/support/run-order.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { sidecarHost } from "./sidecar.ts";

const FIXTURE = join(import.meta.dirname, "../../../test/fixtures/hosts/bad-host.mjs");
const TIMES = { helloMs: 5000, pingMs: 15_000 };

const bad = (way: string, times = TIMES, more: string[] = []) =>
  sidecarHost({ path: process.execPath, argv: [FIXTURE, way, ...more] }, process.env, times);

const texts = (trace: readonly { readonly type: string; readonly text?: unknown }[]) =>
  trace.flatMap(({ type, text }) => (type === "assistant_message" ? [text] : []));

test.each([
  ["dies-before-hello", "the host exited before its hello: killed by SIGKILL"],
  ["exits-before-hello", "the host exited before its hello: exit code 3: cannot start"],
  ["event-before-hello", "the host began with 'event' instead of hello"],
  ["rubbish-hello", "the host printed invalid JSON: Welcome to the host!"],
  ["other-major", "the host speaks abp/v1.0, we speak abp/v0.1"],
  ["no-version", "the host speaks latest, we speak abp/v0.1"],
  ["rubbish", "the host printed invalid JSON: oops, a log line"],
  ["half-line", "the host printed an incomplete last line"],
  [
    "deep-line",
    `the host printed unreadable JSON (nested more than 127 levels deep): ${`{"t":"event","x":${"[".repeat(200)}`.slice(0, 200)}`,
  ],
  ["long-line", "the host printed a line of more than 16777216 bytes"],
  ["bad-utf8", "the host printed a line that is not UTF-8"],
  ["no-final", "the host exited without a final message: exit code 0"],
  ["broken-final", "the host sent a broken 'final': receipt: expected object, received undefined"],
  ["sends-run", "the host sent 'run', which only signalbox may send"],
  ["dies-in-run", "the host exited without a final message: killed by SIGKILL"],
])("a host of the kind %s ends in a receipt that says so, and exit 7", async (way, because) => {
  const { end } = await runOrder({ root: tempFolder(), openHost: bad(way) });
  expect([end.exitCode, end.receipt.outcome, end.because]).toEqual([7, "failed", because]);
  expect(end.receipt.trace.filter(({ type }) => type === "error")).toMatchObject([{ message: because }]);
});

test.each([
  ["other-minor", 0, []],
  ["two-hellos", 0, []],
  ["separator", 0, ["a\u2028b\u2029c"]],
  ["other-run", 0, ["mine"]],
  ["after-final", 0, ["one"]],
  ["two-finals", 0, []],
  ["unknown-tag", 0, []],
  ["unknown-event", 0, []],
  ["unknown-capability", 0, []],
  ["dies-after-final", 0, []],
  ["odd-outcome", 1, []],
  ["fatal", 1, []],
  ["fatal-null", 1, []],
])("a host of the kind %s is read as far as it makes sense: exit %i", async (way, exitCode, said) => {
  const { end } = await runOrder({ root: tempFolder(), openHost: bad(way) });
  expect([end.exitCode, texts(end.receipt.trace)]).toEqual([exitCode, said]);
});

test("what a host says of other runs is counted, an unknown event is kept as data, unknown capabilities are named", async () => {
  const other = await runOrder({ root: tempFolder(), openHost: bad("other-run") });
  expect(other.end.receipt.trace).toContainEqual(
    expect.objectContaining({ type: "warning", message: "2 lines of the host did not belong to this run" }),
  );
  const one = await runOrder({ root: tempFolder(), openHost: bad("unknown-tag") });
  expect(one.end.receipt.trace).toContainEqual(
    expect.objectContaining({ type: "warning", message: "1 line of the host did not belong to this run" }),
  );
  const unknown = await runOrder({ root: tempFolder(), openHost: bad("unknown-event") });
  expect(unknown.end.receipt.trace[1]).toMatchObject({ type: "warning", ext: { raw_event: { type: "usage" } } });
  const flying = await runOrder({ root: tempFolder(), openHost: bad("unknown-capability") });
  expect(flying.end.receipt.capabilities).toEqual({ streaming: { restricted: { reason: "slow" } } });
});

test("a receipt with too little in it is told: what it lacks, that it is another's, that it has no outcome", async () => {
  const results = async (way: string) => {
    const { end } = await runOrder({ root: tempFolder(), openHost: bad(way) });
    const said = end.receipt.trace.flatMap((event) => ("message" in event ? [event.message] : [])).slice(1, -1);
    return [end.exitCode, end.receipt.outcome, ...said];
  };
  const lacks = (parts: string) => `the host's receipt lacks required fields: ${parts}`;
  expect(await results("bare-final")).toEqual([
    0,
    "complete",
    lacks("meta, backend, capabilities, usage_raw, usage, trace, artifacts, verification"),
  ]);
  expect(await results("no-outcome")).toEqual([
    1,
    "failed",
    lacks("meta, backend, capabilities, verification, outcome"),
    "the host's receipt has an unknown outcome: none",
  ]);
  expect((await results("odd-outcome")).at(-1)).toBe(`the host's receipt has an unknown outcome: "splendid"`);
  expect((await results("other-meta")).at(-1)).toBe(
    "the host's receipt names another run or work order; treating it as this run's",
  );
});

test.each(["no-hello", "late-hello"])("a host of the kind %s is given up on in time", async (way) => {
  const { end } = await runOrder({ root: tempFolder(), openHost: bad(way, { helloMs: 500, pingMs: 15_000 }) });
  expect([end.exitCode, end.because]).toEqual([7, "the host did not say hello within 500 ms"]);
});

test("a flood is stopped, and the receipt holds what came before", async () => {
  const { end } = await runOrder({
    root: tempFolder(),
    openHost: bad("flood"),
    limits: { maxEvents: 5000, graceMs: 200 },
  });
  expect([end.exitCode, end.because]).toEqual([7, "the host flooded the run with more than 5000 events"]);
  expect(end.receipt.trace.length).toBeGreaterThan(5000);
}, 60_000);

test.each(["deaf", "stalls"])("a host of the kind %s runs into the limit for silence", async (way) => {
  const { end } = await runOrder({ root: tempFolder(), openHost: bad(way), limits: { idleMs: 400, graceMs: 100 } });
  expect([end.exitCode, end.because]).toEqual([5, "silent for 400 ms"]);
});

test("a host that ignores cancel and TERM is ended all the same", async () => {
  const limits = { wallMs: 1500, graceMs: 200 };
  const { end } = await runOrder({ root: tempFolder(), openHost: bad("ignores-cancel"), limits });
  expect([end.exitCode, end.because]).toEqual([5, "more than 1500 ms"]);
});

test("a host that answered pings and no longer does is given up on", async () => {
  const { end } = await runOrder({
    root: tempFolder(),
    openHost: bad("answers-pings-then-not", { helloMs: 5000, pingMs: 50 }),
  });
  expect([
    end.exitCode,
    end.because.startsWith("the host exited without a final message: it no longer answered pings"),
  ]).toEqual([7, true]);
});

test("the first line that a host gets is its order, whatever else it knows", async () => {
  const { end } = await runOrder({ root: tempFolder(), openHost: bad("takes-one-line") });
  expect([end.exitCode, end.because, texts(end.receipt.trace)]).toEqual([0, "done", ["one"]]);
});

test("nothing that a host started outlives the run", async () => {
  const root = tempFolder();
  const left = join(tempFolder(), "pid");
  const { end } = await runOrder({ root, openHost: bad("leaves-a-child", TIMES, [left]) });
  expect([end.exitCode, isAlive(Number(readFileSync(left, "utf8")))]).toEqual([0, false]);
});

test("an edit after the check, by something that hid from us, makes the check stale", async () => {
  const mark = join(tempFolder(), "checking");
  const accept = [`touch ${mark}; while ! test -e late.txt; do sleep 0.05; done`];
  const { end } = await runOrder({ accept, openHost: bad("edits-later", TIMES, [mark]) });
  expect([end.exitCode, end.facts.verified]).toEqual([4, "stale"]);
});

test("artifacts that a host names are kept with their hash, and only those inside the workspace", async () => {
  const { end } = await runOrder({ openHost: bad("bad-artifact") });
  expect(end.facts.artifacts.map(({ path, size }) => [path.split("/").at(-1), size])).toEqual([["0001-left.txt", 4]]);
});

test("a program that is not there is exit 127, with a receipt", async () => {
  const { end } = await runOrder({
    root: tempFolder(),
    openHost: sidecarHost({ path: "/no/such/host", argv: [] }, process.env),
  });
  expect([end.exitCode, end.because]).toEqual([127, "/no/such/host cannot be started (ENOENT)"]);
  await sleep(0);
});
