import { expect, test } from "vitest";
import type { IncomingRequest, OfferedTool } from "./wire.ts";
import { player } from "./play.ts";
import { Script, type ScriptInput } from "./script.ts";

const bash: OfferedTool = {
  name: "bash",
  schema: { properties: { command: {} }, required: ["command"] },
  freeText: false,
};
const first: IncomingRequest = {
  model: "m",
  stream: true,
  usageInStream: true,
  system: "",
  entries: [{ from: "user", text: "do alpha" }],
  tools: [bash],
};
const later: IncomingRequest = {
  ...first,
  entries: [...first.entries, { from: "assistant", text: "" }, { from: "tool", text: "alpha.txt" }],
};
const playing = (script: ScriptInput) => player(Script.parse(script));

/** The content, without ids and usage. */
const gist = (played: ReturnType<ReturnType<typeof player>>) => {
  const { answered, scene, turn } = played;
  return {
    answered,
    scene,
    turn,
    ...("answer" in played ? { text: played.answer.text } : { problems: played.problems }),
  };
};

test("a turn becomes an answer: shell first, then calls, ids from the turn, usage by size", () => {
  const play = playing({
    turns: [
      {
        text: "I look",
        thinking: "hm",
        shell: ["ls", "pwd"],
        calls: [{ name: "read" }, { name: "patch", input: "p", id: "mine" }],
      },
    ],
  });
  expect(play(first)).toEqual({
    answered: "turn",
    scene: 0,
    turn: 0,
    pace: { before: 0, between: 0 },
    answer: {
      id: "0_1",
      model: "m",
      thinking: "hm",
      text: "I look",
      calls: [
        { id: "call_0_1_1", name: "bash", input: { command: "ls" } },
        { id: "call_0_1_2", name: "bash", input: { command: "pwd" } },
        { id: "call_0_1_3", name: "read", input: {} },
        { id: "mine", name: "patch", input: "p" },
      ],
      stop: "calls",
      usage: { input: 35, output: 54 },
    },
  });
});

test("the history says which turn is played; after the last one comes `after`, again and again", () => {
  const play = playing({ turns: [{ text: "one" }], after: { text: "that was all" } });
  const after = { answered: "after", scene: 0, turn: 1, text: "that was all" };
  expect([play(later), play(first), play(later)].map(gist)).toEqual([
    after,
    { answered: "turn", scene: 0, turn: 0, text: "one" },
    after,
  ]);
});

test("the first scene that fits the opening is played, whatever is said later", () => {
  const play = playing({
    scenes: [
      { when: { contains: "alpha.txt" }, turns: [{ text: "never" }] },
      { when: { contains: "beta" }, turns: [{ text: "by the system prompt" }] },
      { when: { contains: "alpha" }, turns: [{ text: "by the user" }, { text: "on" }] },
    ],
  });
  expect([play(first), play(later), play({ ...first, system: "beta" })].map(gist)).toEqual([
    { answered: "turn", scene: 2, turn: 0, text: "by the user" },
    { answered: "turn", scene: 2, turn: 1, text: "on" },
    { answered: "turn", scene: 1, turn: 0, text: "by the system prompt" },
  ]);
  expect(gist(play({ ...first, entries: [] }))).toEqual({
    answered: "expect-failed",
    scene: null,
    turn: 0,
    problems: ["no scene matches this request"],
  });
});

test("a request without tools is a side request where the scene works with tools, and uses up no failure", () => {
  const withTools: ScriptInput = { side: "A title", turns: [{ shell: "ls", failures: [{ status: 500 }] }] };
  const bare = { ...first, tools: [] };
  const play = playing(withTools);
  expect([play(bare), play(bare), play(first), play(first)].map(gist)).toEqual([
    { answered: "side", scene: 0, turn: 0, text: "A title" },
    { answered: "side", scene: 0, turn: 0, text: "A title" },
    { answered: "failure", scene: 0, turn: 0, text: "" },
    { answered: "turn", scene: 0, turn: 0, text: "" },
  ]);
  expect(gist(playing({ turns: [{ text: "hi" }] })(bare))).toEqual({ answered: "turn", scene: 0, turn: 0, text: "hi" });
});

test("failures go to the first attempts at their own turn", () => {
  const play = playing({ turns: [{ text: "one", failures: [{ status: 500 }, { cut: 1 }] }, { text: "two" }] });
  expect([play(first), play(later), play(first), play(first)].map((played) => played.answered)).toEqual([
    "failure",
    "turn",
    "failure",
    "turn",
  ]);
});

test("each unmet expectation is named, and the request uses up no failure", () => {
  const play = playing({
    turns: [
      { text: "never" },
      {
        text: "hi",
        failures: [{ hang: true }],
        expect: { contains: ["alpha.txt", "gamma"], not_contains: "do", tools: ["bash", "read"], matches: "^delta" },
      },
    ],
  });
  expect(gist(play(later))).toEqual({
    answered: "expect-failed",
    scene: 0,
    turn: 1,
    problems: [
      'the request does not contain "gamma"',
      'the request contains "do"',
      "the tool read is not offered; offered: bash",
      "the request does not match /^delta/",
    ],
  });
});

test("a shell command without a shell tool on offer is a failed expectation", () => {
  const play = playing({ turns: [{ shell: "ls" }] });
  expect(gist(play({ ...first, tools: [{ ...bash, name: "read" }] }))).toEqual({
    answered: "expect-failed",
    scene: 0,
    turn: 0,
    problems: ["the turn needs a shell tool; offered: read"],
  });
});

test("stop, usage and delays are as the script says", () => {
  const play = playing({
    turns: [{ text: "a", stop: "length", usage: { input: 7, output: 0 }, delay_ms: 3, chunk_delay_ms: 4 }],
  });
  expect(play(first)).toMatchObject({
    answer: { stop: "length", usage: { input: 7, output: 0 } },
    pace: { before: 3, between: 4 },
  });
});
