import { expect, test } from "vitest";
import { newEvent } from "../../contract/agent-event.ts";
import { openStopSwitch, watchLimits } from "./limits.ts";
import { type RunLimits, USUAL_LIMITS } from "./run-setup.ts";

const say = (ext: Record<string, unknown> = {}) => newEvent({ type: "assistant_message", text: "x", ext });
const used = (usage: Record<string, unknown>) => say({ usage });
const call = (command: string) => newEvent({ type: "tool_call", tool_name: "bash", input: { command } });
const result = (output: string) => newEvent({ type: "tool_result", tool_name: "bash", output, is_error: false });

/** The reasons that a run would be stopped for, in the order of its events, and what was counted. */
function watched(limits: Partial<RunLimits>, events: readonly ReturnType<typeof say>[]) {
  const watch = watchLimits({ ...USUAL_LIMITS, ...limits });
  return { stops: events.map((event) => watch.see(event)?.because), progress: watch.progress() };
}

test("a turn is one answer, however many parts it has, until the results of its calls are there", () => {
  const delta = newEvent({ type: "assistant_delta", text: "x" });
  const events = [delta, delta, say(), call("ls"), call("id"), result("a"), result("b"), say()];
  expect(watched({}, events).progress).toMatchObject({ turns: 2 });
  expect(watched({ maxTurns: 1 }, events).stops).toEqual([...Array<undefined>(7), "more than 1 turns"]);
  expect(watched({ maxTurns: 2 }, events).stops).toEqual(Array<undefined>(8).fill(undefined));
});

test("a host that counts its turns itself is believed, but never backwards", () => {
  const events = [say({ turn: 1 }), say({ turn: 1 }), say({ turn: 5 }), say({ turn: 3 })];
  expect(watched({}, events).progress).toMatchObject({ turns: 5 });
});

test("usage is a sum so far: the largest counts, and tokens are those in and out together", () => {
  const events = [
    used({ input_tokens: 100, output_tokens: 20, estimated_cost_usd: 0.5 }),
    used({ input_tokens: 300, output_tokens: 40, estimated_cost_usd: 1 }),
    used({ input_tokens: "many", output_tokens: 10, estimated_cost_usd: null }),
  ];
  expect(watched({}, events).progress).toMatchObject({ tokens: 340, costUsd: 1 });
  expect(watched({ maxBudgetUsd: 1 }, events).stops).toEqual([undefined, undefined, undefined]);
  expect(watched({ maxBudgetUsd: 0.9 }, events).stops).toEqual([
    undefined,
    expect.stringMatching(/^it cost \$1.*, more than the limit of \$0\.9/),
    expect.stringMatching(/^it cost /),
  ]);
});

test("the same call with the same result again and again is no progress; another result is", () => {
  const same = [call("ls"), result("a")];
  expect(watched({ maxRepeats: 2 }, [...same, ...same, ...same]).stops).toEqual([
    ...Array<undefined>(5),
    "the same call had the same result 3 times in a row",
  ]);
  for (const other of [
    [call("ls"), result("b")],
    [call("ls -l"), result("a")],
  ])
    expect(watched({ maxRepeats: 2 }, [...same, ...same, ...other, ...same, ...same]).stops.at(-1)).toBeUndefined();
});

test("a cycle of calls with the same results is no progress; waiting for something may repeat longer", () => {
  const [ls, id] = [
    [call("ls"), result("a")],
    [call("id"), result("b")],
  ];
  const round = [...ls, ...id];
  const { stops } = watched({ maxRepeats: 4 }, [...round, ...round, ...round]);
  expect(stops).toEqual([...Array<undefined>(11), "the same 2 calls had the same results 3 times in a row"]);
  const waiting = Array.from({ length: 20 }, () => [call("sleep 5; gh run view 7"), result("in_progress")]).flat();
  expect(watched({ maxRepeats: 4 }, waiting).stops.at(-1)).toBeUndefined();
});

test("results are paired with their calls by id", () => {
  const step = (id: string, command: string) => ({
    call: newEvent({ type: "tool_call", tool_name: "bash", tool_use_id: id, input: { command } }),
    result: newEvent({ type: "tool_result", tool_name: "bash", tool_use_id: id, output: "", is_error: false }),
  });
  const events = Array.from({ length: 6 }, (_, n) => [step(`a${n}`, `touch ${n}`), step(`b${n}`, "true")]).flatMap(
    ([one, other]) => (one && other ? [one.call, other.call, one.result, other.result] : []),
  );
  expect(watched({ maxRepeats: 2 }, events).stops.every((stop) => stop === undefined)).toBe(true);
});

test("more events than allowed are a flood", () => {
  const { stops } = watched({ maxEvents: 2 }, [say(), say(), say()]);
  expect(stops).toEqual([undefined, undefined, "the host flooded the run with more than 2 events"]);
});

test("the first reason to stop counts", () => {
  const { signal, stop, reason } = openStopSwitch();
  expect([signal.aborted, reason()]).toEqual([false, undefined]);
  stop({ stopped: "limit", because: "first" });
  stop({ stopped: "crashed", because: "second" });
  expect([signal.aborted, reason(), signal.reason]).toEqual([
    true,
    { stopped: "limit", because: "first" },
    new Error("first"),
  ]);
});
