import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as z from "zod";
import {
  asks,
  call,
  calls,
  playTurns,
  rehearsed,
  says,
  sessionParts,
  tool,
} from "../../../test/support/scripted-session.ts";
import type { Message, UserMessage } from "../../contract/message.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { judgeProgress, loopWarning, progressTrail } from "./progress.ts";

const Call = z.object({
  tool: z.string(),
  input: z.json(),
  result: z.string(),
  failed: z.boolean().default(false),
  tree: z.string().default("t0"),
});
const Step = z.union([Call, z.object({ calls: z.array(Call), tree: z.string().default("t0") })]);
const Trace = z.object({
  name: z.string(),
  loop: z.boolean(),
  steps: z.array(z.union([z.object({ times: z.int(), steps: z.array(Step) }), Step])),
});

/** What agents did in 80 runs, 40 of them in circles. `{n}` counts the rounds of a repeated part. */
const TRACES = readFileSync(new URL("../../../test/fixtures/loops/traces.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => Trace.parse(parseJson(line)));

const numbered = (step: z.infer<typeof Step>, n: number): z.infer<typeof Step> =>
  Step.parse(parseJson(JSON.stringify(step).replaceAll("{n}", String(n))));

const stepsOf = ({ steps }: z.infer<typeof Trace>) =>
  steps.flatMap((part) =>
    "times" in part
      ? Array.from({ length: part.times }, (_, n) => part.steps.map((step) => numbered(step, n))).flat()
      : [part],
  );

/** Plays a trace to an agent that takes no notice of warnings. */
function judged(trace: z.infer<typeof Trace>) {
  const trail = progressTrail();
  let verdict: "fine" | "warned" | "stopped" = "fine";
  let quiet = 0;
  for (const [at, each] of stepsOf(trace).entries()) {
    const all = ("calls" in each ? each.calls : [each]).map((one, n) => ({ ...one, id: `c${at}-${n}` }));
    const parts = all.map(({ id, tool: name, input }) =>
      call(id, name, z.record(z.string(), z.unknown()).parse(input)),
    );
    trail.apply({ type: "message", message: calls(...parts) });
    for (const { id: callId, tool: name, result: text, failed } of all)
      trail.apply({ type: "tool-end", result: { callId, name, text, failed } });
    let word = judgeProgress(trail);
    if (word.kind === "look") {
      trail.noteState(each.tree);
      word = judgeProgress(trail);
    }
    quiet = Math.max(quiet, trail.quiet.weight);
    if (word.kind === "stop") return { verdict: "stopped" as const, after: at + 1, quiet };
    if (word.kind !== "warn") continue;
    verdict = "warned";
    trail.apply({ type: "message", message: loopWarning(word.because) });
  }
  return { verdict, after: 0, quiet };
}

test("labelled traces: loops are stopped, honest work is not", () => {
  const verdicts = TRACES.map((trace) => ({ ...trace, ...judged(trace) }));
  const loops = verdicts.filter(({ loop }) => loop);
  const score = (isCaught: (verdict: string) => boolean) => {
    const caught = verdicts.filter(({ verdict }) => isCaught(verdict));
    const right = caught.filter(({ loop }) => loop).length;
    return { precision: right / caught.length, recall: right / loops.length };
  };
  const stopped = score((verdict) => verdict === "stopped");
  const warned = score((verdict) => verdict !== "fine");
  process.stdout.write(
    `${loops.length} loops, ${verdicts.length - loops.length} honest runs; stopped: ${shown(stopped)}; warned: ${shown(warned)}\n`,
  );
  const honest = verdicts.filter(({ loop }) => !loop).toSorted((one, other) => other.quiet - one.quiet);
  process.stdout.write(
    `the longest time without anything new in an honest run: ${honest[0]?.quiet} turns (${honest[0]?.name}); the last loop ended after ${Math.max(...loops.map(({ after }) => after))}\n`,
  );
  const wrong = verdicts.filter(({ loop, verdict }) => loop !== (verdict === "stopped"));
  expect(wrong.map(({ name, verdict }) => `${name}: ${verdict}`)).toEqual([]);
  expect(verdicts.flatMap(({ name, loop, verdict }) => (!loop && verdict === "warned" ? [name] : []))).toEqual([
    "runs the tests ten times, because it was asked to",
    "warned after five tries, then changes something",
  ]);
});

const shown = ({ precision, recall }: { readonly precision: number; readonly recall: number }) =>
  `precision ${precision.toFixed(2)}, recall ${recall.toFixed(2)}`;

const same = (times: number) => Array.from({ length: times }, (_, n) => calls(call(`c${n}`, "look")));

test("a run in circles is told once, then ended, and the words say why", async () => {
  const { model, requests } = rehearsed(...same(20));
  const look = tool("look", () => ({ text: "nothing", failed: false }));
  const parts = sessionParts(model, { tools: [look], fingerprint: async () => "as it was" });
  const { events, result } = await playTurns([asks("go")], parts);
  expect(events.filter(({ type }) => type === "loop-noticed")).toEqual([
    { type: "loop-noticed", because: "the same call had the same result 5 times in a row" },
  ]);
  expect([result.reason, result.because, requests.length]).toEqual([
    "no-progress",
    "the same call had the same result 11 times in a row, and nothing changed, although it was told so",
    11,
  ]);
  expect(requests[5]?.history.at(-1)).toMatchObject({
    role: "user",
    text: expect.stringMatching(/^You are going in circles/),
  });
});

test("the same words from a command that changes the tree are progress", async () => {
  const { model } = rehearsed(...same(20), says("all of them"));
  let changes = 0;
  const look = tool("look", () => ({ text: `applied${++changes > 0 ? "" : "!"}`, failed: false }));
  const parts = sessionParts(model, { tools: [look], fingerprint: async () => `tree ${changes}` });
  const { events, result } = await playTurns([asks("go")], parts);
  expect([result.reason, events.some(({ type }) => type === "loop-noticed")]).toEqual(["answered", false]);
});

test("the tree is looked at only when the results repeat", async () => {
  let looks = 0;
  const fingerprint = async () => `tree ${++looks}`;
  const { model } = rehearsed(
    ...Array.from({ length: 30 }, (_, n) => calls(call(`c${n}`, "look", { n }))),
    says("done"),
  );
  const look = tool("look", () => ({ text: "the same", failed: false }));
  const { result } = await playTurns([asks("go")], sessionParts(model, { tools: [look], fingerprint }));
  expect([result.reason, looks]).toEqual(["answered", 0]);
});

test("a resumed run goes on counting", async () => {
  const done = Array.from({ length: 9 }, (_, n) => [
    calls(call(`c${n}`, "look")),
    { role: "tool" as const, results: [{ callId: `c${n}`, name: "look", text: "nothing", failed: false }] },
  ]).flat();
  const { model, requests } = rehearsed(...Array.from({ length: 20 }, (_, n) => calls(call(`d${n}`, "look"))));
  const look = tool("look", () => ({ text: "nothing", failed: false }));
  const { result } = await playTurns([asks("go"), ...done], sessionParts(model, { tools: [look] }));
  expect([result.reason, requests.length]).toEqual(["no-progress", 7]);
});

const looked = (id: string, text = "nothing"): readonly Message[] => [
  calls(call(id, "look")),
  { role: "tool", results: [{ callId: id, name: "look", text, failed: false }] },
];

const told = (source: UserMessage["source"]): Message => ({ role: "user", text: "…", source });

const after = (...messages: readonly Message[]) => {
  const { steps, quiet } = progressTrail(messages);
  return { steps: steps.length, quietTurns: quiet.turns, isTold: quiet.isTold };
};

const TWICE = [asks("go"), ...looked("a"), ...looked("b")];

test.each(["jit-instruction", "state", "summary"] as const)(
  "a message of the engine (%s) begins nothing new",
  (source) => {
    expect(after(...TWICE, told(source), ...looked("c"))).toEqual({ steps: 3, quietTurns: 2, isTold: false });
  },
);

test.each(["person", "gate", "agent", "hook"] as const)("a message of somebody else (%s) does", (source) => {
  expect(after(...TWICE, told(source), ...looked("c"))).toEqual({ steps: 1, quietTurns: 0, isTold: false });
});

test("replacing the history changes nothing, and taking turns back begins anew", () => {
  const trail = progressTrail(TWICE);
  trail.apply({ type: "history-replaced", pieces: [] });
  expect([trail.steps.length, trail.quiet.turns]).toEqual([2, 1]);
  trail.clear();
  expect([trail.steps.length, trail.quiet.turns, trail.last]).toEqual([0, 0, undefined]);
});

test("a warning is remembered until something new comes", () => {
  const warned = [...TWICE, loopWarning("it repeats")];
  expect(after(...warned, ...looked("c"))).toEqual({ steps: 3, quietTurns: 2, isTold: true });
  expect(after(...warned, ...looked("c", "something"))).toEqual({ steps: 3, quietTurns: 0, isTold: false });
});

test("a turn that was interrupted, and an answer without calls, are no turns of it", () => {
  expect(after(...TWICE, calls(call("c", "look")), says("done"))).toEqual({ steps: 2, quietTurns: 1, isTold: false });
});

test("a new state is something new, and one that was there before is not", () => {
  const trail = progressTrail(TWICE);
  const look = (state: string) => {
    trail.noteState(state);
    return [trail.quiet.turns, trail.quiet.isCompared];
  };
  // Nothing is known about the first: there is no other to compare it with.
  expect(["s1", "s1", "s2", "s2", "s1"].map(look)).toEqual([
    [1, false],
    [1, true],
    [0, false],
    [0, true],
    [0, true],
  ]);
});
