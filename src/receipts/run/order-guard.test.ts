import { expect, test } from "vitest";
import { newEvent, REFUSED_BY_AGENT } from "../../contract/agent-event.ts";
import { callKey, openLedger } from "./order-guard.ts";

const call = (id: string | null, command = "ls") =>
  newEvent({ type: "tool_call", tool_name: "bash", tool_use_id: id, input: { command } });
const result = (id: string, failed = false, output: unknown = "x") =>
  newEvent({ type: "tool_result", tool_name: "bash", tool_use_id: id, output, is_error: failed });

test("a call that was decided is held, also when its event came first", () => {
  const ledger = openLedger();
  ledger.see(call("1"));
  ledger.decided("1", "bash", "allow");
  ledger.see(result("1"));
  expect(ledger.counts(false)).toEqual({
    decisions: { allow: 1, ask: 0, deny: 0 },
    callsNotHeld: [],
    lastDenied: false,
  });
});

test("calls that nobody asked about are listed, with and without an id", () => {
  const ledger = openLedger();
  ledger.see(call("1"));
  ledger.see(call(null, "pwd"));
  expect(ledger.counts(false).callsNotHeld).toEqual(["bash 1", "bash"]);
});

test("a denied call that fails stays denied, and one that runs all the same is listed", () => {
  const ledger = openLedger();
  ledger.decided("1", "bash", "deny");
  ledger.see(call("1"));
  ledger.see(result("1", true, "rejected"));
  expect(ledger.counts(false)).toMatchObject({ callsNotHeld: [], lastDenied: true });
  ledger.see(result("1", false, "root:x:0:0"));
  expect(ledger.counts(false)).toMatchObject({ callsNotHeld: ["bash 1 (denied, and run)"], lastDenied: false });
});

test("a result that a host itself marks as denied counts as one", () => {
  const ledger = openLedger();
  ledger.see(result("9", true, { denied: true, reason: "no" }));
  expect(ledger.counts(false).lastDenied).toBe(true);
});

test("of a host that asks about every call, a question of the same kind stands for a call told in other words", () => {
  const ledger = openLedger();
  ledger.decided("hash of a patch", "apply_patch", "allow");
  ledger.see(newEvent({ type: "tool_call", tool_name: "apply_patch", tool_use_id: "7", input: { changes: [] } }));
  ledger.see(call("8", "whoami"));
  expect([ledger.counts(true).callsNotHeld, ledger.counts(false).callsNotHeld]).toEqual([
    ["bash 8"],
    ["apply_patch 7", "bash 8"],
  ]);
});

test("a command is the same call by whatever tool it is run", () => {
  const ledger = openLedger();
  ledger.decided(callKey({ tool: "Bash", input: { command: "ls", description: "list" } }), "Bash", "allow");
  ledger.see(call("1", "ls"));
  expect(ledger.counts(false).callsNotHeld).toEqual([]);
});

test("a call that the agent itself turned down never ran, so it is not listed", () => {
  const ledger = openLedger();
  ledger.see(call("1"));
  ledger.see(call("2"));
  ledger.see({ ...result("1", true, "no such tool"), ext: REFUSED_BY_AGENT });
  ledger.see(result("2", true, "no such tool"));
  expect(ledger.counts(true).callsNotHeld).toEqual(["bash 2"]);
});

test("a decision that a hook makes stricter is counted once, as what it became", () => {
  const ledger = openLedger();
  ledger.decided("1", "bash", "allow");
  ledger.answered("1", "bash", "deny");
  expect(ledger.counts(true).decisions).toEqual({ allow: 0, ask: 0, deny: 1 });
});
