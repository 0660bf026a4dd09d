import { randomUUID } from "node:crypto";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { workOrder } from "../../../test/support/run-order.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { MOCK_BACKEND, MOCK_CAPABILITIES, mockHost } from "../../hosts/mock.ts";
import type { Decision } from "../../contract/verdict.ts";
import { Receipt } from "../../contract/receipt.ts";
import { receiptHash } from "../seal/canonical-receipt.ts";
import { serveHost } from "./serve-host.ts";

const YES: Decision = { verdict: "allow", code: "", rules: [], because: "", findings: [], effects: [] };

function served() {
  const input = new PassThrough();
  const lines: { readonly t: string; readonly [name: string]: unknown }[] = [];
  const done = serveHost({
    backend: MOCK_BACKEND,
    capabilities: MOCK_CAPABILITIES,
    openHost: mockHost(process.env),
    input,
    write: (line) => lines.push(JSON.parse(line)),
    folder: tempFolder(),
    decider: () => () => YES,
  });
  const send = (value: unknown) => input.write(`${typeof value === "string" ? value : JSON.stringify(value)}\n`);
  const until = async (count: number, t: string) => {
    while (lines.filter((line) => line.t === t).length < count) await new Promise((go) => setTimeout(go, 5));
  };
  return { input, lines, done, send, until };
}

test("orders queue, each line that makes no sense gets one fatal, and the end of input ends it", async () => {
  const { input, lines, done, send } = served();
  const order = workOrder({ root: tempFolder(), script: [{ say: "hi" }] });
  send({ t: "run", id: "../../x", work_order: order });
  send("{ rubbish");
  send({ t: "run", id: "second", work_order: { policy: { deny_reads: [] } } });
  send({ t: "run", id: "third", work_order: {} });
  send({ t: "later", value: 1 });
  input.end();
  await done;
  const ends = lines.filter(({ t }) => t === "final" || t === "fatal").map(({ t, ref_id }) => [t, ref_id]);
  // A refusal does not wait for the order before it, so only the order among each kind is fixed.
  const of = (kind: string) => ends.filter(([t]) => t === kind).map(([, id]) => id);
  expect([of("fatal"), of("final")]).toEqual([
    [null, "second"],
    ["../../x", "third"],
  ]);
});

test("ping and cancel are answered while a run goes on", async () => {
  const { input, lines, done, send, until } = served();
  send({
    t: "run",
    id: "one",
    work_order: workOrder({ root: tempFolder(), script: [{ say: "hi" }, { wait_ms: 60_000 }] }),
  });
  await until(2, "event");
  send({ t: "ping", seq: 7 });
  await until(1, "pong");
  send({ t: "cancel", ref_id: "one", reason: "enough" });
  await until(1, "final");
  input.end();
  await done;
  expect(lines.at(-1)).toMatchObject({ t: "final", ref_id: "one", receipt: { outcome: "partial" } });
});

test("the host's own receipt has the run's id, its times, its events, and a hash over all of it", async () => {
  const { input, lines, done, send } = served();
  const [id, order] = [randomUUID(), workOrder({ root: tempFolder(), script: [{ say: "hi" }] })];
  const before = Date.now();
  send({ t: "run", id, work_order: order });
  input.end();
  await done;
  const receipt = Receipt.parse(lines.at(-1)?.["receipt"]);
  const { meta } = receipt;
  expect(meta).toMatchObject({ run_id: id, work_order_id: order.id });
  const [started, finished] = [Date.parse(meta.started_at), Date.parse(meta.finished_at)];
  expect([started >= before, finished >= started, finished <= Date.now()]).toEqual([true, true, true]);
  expect(meta.duration_ms).toBe(finished - started);
  expect(receipt.trace).toEqual(lines.flatMap(({ t, event }) => (t === "event" ? [event] : [])));
  expect([receipt.outcome, receipt.verification.harness_ok]).toEqual(["complete", true]);
  expect(receipt.receipt_sha256).toBe(receiptHash({ ...receipt, receipt_sha256: null }));
});
