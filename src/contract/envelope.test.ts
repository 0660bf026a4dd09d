import { expect, test } from "vitest";
import { parseExactJson } from "../lib/json/exact-json.ts";
import { AgentEvent } from "./agent-event.ts";
import { HostEnvelope, LooseHostEnvelope, LooseRuntimeEnvelope, RuntimeEnvelope } from "./envelope.ts";

const backend = { id: "x", backend_version: null, adapter_version: null };

test("a hello of the field is read: no mode, unknown capabilities and levels, extra keys", () => {
  const hello = {
    t: "hello",
    contract_version: "abp/v0.1",
    backend: { id: "x", colour: "red" },
    capabilities: { streaming: "native", flying: "partly" },
    max_runs: 2,
  };
  expect(LooseHostEnvelope.parse(hello)).toEqual({ ...hello, backend, mode: "mapped" });
  expect(HostEnvelope.safeParse(hello).success).toBe(false);
});

test("an event that the contract does not know arrives whole, and is written by nobody", () => {
  const line = parseExactJson('{"t":"event","ref_id":"r","event":{"type":"usage","cost":1.0}}');
  expect(JSON.stringify(LooseHostEnvelope.parse(line))).toBe(
    '{"t":"event","ref_id":"r","event":{"type":"usage","cost":1.0}}',
  );
  expect(HostEnvelope.safeParse(line).success).toBe(false);
});

test("a final keeps what its host sent, a fatal may name no run", () => {
  const receipt = { outcome: "fine", usage: { inputTokens: 3 }, tool_calls: [], trace: [1] };
  expect(LooseHostEnvelope.parse({ t: "final", ref_id: "r", receipt })).toEqual({ t: "final", ref_id: "r", receipt });
  expect(LooseHostEnvelope.parse({ t: "fatal", error: "no" })).toEqual({ t: "fatal", ref_id: null, error: "no" });
});

test.each([
  ["an unknown tag", { t: "progress" }],
  ["no tag", {}],
  ["a list", []],
  ["an event that is none", { t: "event", ref_id: "r", event: 1 }],
  ["an event of no run", { t: "event", event: {} }],
  ["a final without a receipt", { t: "final", ref_id: "r" }],
  ["a hello without a version", { t: "hello", backend }],
])("%s is no line of a host", (_, line) => {
  expect(LooseHostEnvelope.safeParse(line).success).toBe(false);
});

test("a host reads a run whose order it may refuse, a cancel without a reason, and a ping", () => {
  expect(LooseRuntimeEnvelope.parse({ t: "run", id: "r", work_order: { task: 1 } })).toEqual({
    t: "run",
    id: "r",
    work_order: { task: 1 },
  });
  expect(LooseRuntimeEnvelope.parse({ t: "cancel", ref_id: "r" })).toEqual({ t: "cancel", ref_id: "r", reason: null });
  expect(RuntimeEnvelope.parse({ t: "ping", seq: 7 })).toEqual({ t: "ping", seq: 7 });
});

test("an event has its absent fields as nulls, but for those that are left out", () => {
  const ts = "2026-01-01T00:00:00.000Z";
  expect(AgentEvent.parse({ ts, type: "tool_call", tool_name: "Bash", input: null, more: 1 })).toStrictEqual({
    ts: "2026-01-01T00:00:00Z",
    type: "tool_call",
    tool_name: "Bash",
    tool_use_id: null,
    parent_tool_use_id: null,
    input: null,
  });
  expect(JSON.stringify(AgentEvent.parse({ ts, type: "error", message: "m", ext: null, error_code: null }))).toBe(
    '{"ts":"2026-01-01T00:00:00Z","type":"error","message":"m"}',
  );
});

test.each([
  ["a call without an input", { type: "tool_call", tool_name: "Bash" }],
  ["a result that does not say whether it failed", { type: "tool_result", tool_name: "Bash", output: 1 }],
  ["an unknown code", { type: "error", message: "m", error_code: "oops" }],
  ["an ext that is a list", { type: "warning", message: "m", ext: [] }],
  ["an exit code that is too large", { type: "command_executed", command: "x", exit_code: 2 ** 31 }],
])("%s is no event", (_, event) => {
  expect(AgentEvent.safeParse({ ts: "2026-01-01T00:00:00Z", ...event }).success).toBe(false);
});
