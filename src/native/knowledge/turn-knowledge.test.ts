import { join } from "node:path";
import { expect, test } from "vitest";
import { knowledgeScene } from "../../../test/support/knowledge-scene.ts";
import type { SessionRecord } from "../../contract/session-record.ts";
import type { RequestStep } from "../engine/processor.ts";
import { loadInstructions } from "./instructions.ts";
import { JIT_RULES, jitInstructions, stateBlock, turnKnowledge } from "./turn-knowledge.ts";

const signal = new AbortController().signal;

const step = (left: Partial<RequestStep["left"]> = {}): RequestStep => ({
  turn: 1,
  system: "",
  history: [],
  tools: [],
  lastUsage: undefined,
  left: { turns: undefined, cost: undefined, ms: undefined, ...left },
  signal,
  charge: (usage, agent) => ({ type: "usage", usage, cost: undefined, agent }),
  report: () => {},
});

function opened(more: Partial<Parameters<typeof turnKnowledge>[0]> = {}) {
  const place = knowledgeScene({ "AGENTS.md": "top", "api/AGENTS.md": "API", "b/AGENTS.md": "\0" });
  const instructions = loadInstructions(place);
  const records: SessionRecord[] = [];
  const state = { tree: "one" };
  const memories = { stored: 0, shown: 0 };
  const processor = turnKnowledge({
    context: { place, parts: [], instructions, skills: [], agents: [], memories, notLoaded: [] },
    timeoutMs: undefined,
    openItems: () => [],
    fingerprint: async () => state.tree,
    before: [],
    record: (record) => void records.push(record),
    ...more,
  });
  const path = (name: string) => join(place.workspace, name);
  const did = (deed: { kind: "read"; path: string } | { kind: "write"; path: string; before: null; after: string }) =>
    processor.postTool?.({ id: "1", name: "x", input: {} }, { text: "", failed: false, deeds: [deed] });
  const tail = (left: Partial<RequestStep["left"]> = {}) => processor.decorate?.(step(left));
  const said = async (ms: number) => {
    const texts: string[] = [];
    for await (const event of processor.preRequest?.(step({ ms })) ?? [])
      if (event.type === "message" && event.message.role === "user")
        texts.push(`${event.message.source}: ${event.message.text.slice(0, 20)}`);
    return texts;
  };
  return { path, did, tail, said, records, state };
}

test("a session that has touched nothing and has no limits adds nothing", async () => {
  const { tail, records } = opened();
  expect([await tail(), records]).toEqual([[], []]);
});

test("a touched file adds its instructions and is recorded; a written one is part of the state", async () => {
  const { path, did, tail, records } = opened({ openItems: () => ["add a test"] });
  await did({ kind: "read", path: path("api/x") });
  await did({ kind: "read", path: path("b/x") });
  await did({ kind: "write", path: path("api/y"), before: null, after: "y" });
  expect(await tail({ turns: 3 })).toEqual([
    '<instructions source="api/AGENTS.md">\nAPI\n</instructions>',
    "<state>\nOpen work items (1): add a test\nLeft: 3 turns\nFiles changed so far (1): api/y\n</state>",
  ]);
  expect(records).toEqual([
    { type: "context", loaded: [{ names: ["api/AGENTS.md"], sha256: expect.any(String), bytes: 3 }], notLoaded: [] },
    { type: "context", loaded: [], notLoaded: [{ name: "b/AGENTS.md", why: "not a text file" }] },
  ]);
});

test("a session with a time limit is reminded once, by messages, and not that nothing changed when it did", async () => {
  const idle = opened({ timeoutMs: 1000 });
  expect([await idle.said(900), await idle.said(500), await idle.said(400), await idle.said(100)]).toEqual([
    [],
    ["jit-instruction: Half of the time is "],
    [],
    ["jit-instruction: Less than a fifth of"],
  ]);
  const busy = opened({ timeoutMs: 1000 });
  expect(await busy.said(900)).toEqual([]);
  busy.state.tree = "two";
  expect(await busy.said(400)).toEqual([]);
  const unknown = opened({ timeoutMs: 1000, fingerprint: async () => undefined });
  expect(await unknown.said(400)).toEqual([]);
});

test("the state is one short block", () => {
  const state = {
    openItems: ["fix the parser", "add a test"],
    turnsLeft: 12,
    costLeft: 0.4,
    timeLeftMs: 200_000,
    changedFiles: ["src/a.ts"],
  };
  expect(stateBlock(state)).toBe(
    "<state>\nOpen work items (2): fix the parser; add a test\nLeft: 12 turns, $0.400, 3 min\nFiles changed so far (1): src/a.ts\n</state>",
  );
});

test("without anything to say there is no block, and impossible numbers are left out", () => {
  expect(stateBlock({ openItems: [], changedFiles: [] })).toBeUndefined();
  expect(stateBlock({ openItems: [], changedFiles: [], turnsLeft: Number.NaN, costLeft: Infinity })).toBeUndefined();
  expect(stateBlock({ openItems: [], changedFiles: [], timeLeftMs: -5, turnsLeft: 1 })).toBe(
    "<state>\nLeft: 1 turn, 0 s\n</state>",
  );
});

test("many, long and hostile items stay short and cannot close the block", () => {
  const items = Array.from({ length: 500 }, () => `</state>\n${"x".repeat(5000)}`);
  const block = stateBlock({ openItems: items, changedFiles: items }) ?? "";
  expect(block.length).toBeLessThan(2500);
  expect(block.split("</state>").length).toBe(2);
  expect(block).toContain("; and 492 more");
});

interface Now {
  percentLeft: number | undefined;
  changed: boolean;
  asked: number;
}

function moments() {
  const now: Now = { percentLeft: 100, changed: false, asked: 0 };
  return {
    now,
    moment: {
      percentLeft: () => now.percentLeft,
      hasChangedPaths: async () => {
        now.asked++;
        return now.changed;
      },
    },
  };
}

test("our reminders come when they are due, each once, also when the clock jumps back", async () => {
  const { now, moment } = moments();
  const due = jitInstructions(JIT_RULES, moment);
  const names = async () => (await due()).map(({ name }) => name);
  expect(await names()).toEqual([]);
  expect(now.asked).toBe(0);
  now.percentLeft = 50;
  expect(await names()).toEqual(["nothing has changed yet"]);
  expect(await names()).toEqual([]);
  now.percentLeft = -3;
  expect(await names()).toEqual(["time is running out"]);
  now.percentLeft = 90;
  expect(await names()).toEqual([]);
  now.percentLeft = 1;
  expect(await names()).toEqual([]);
});

test("a change keeps one reminder back, and no time limit keeps both", async () => {
  const changed = moments();
  Object.assign(changed.now, { percentLeft: 10, changed: true });
  expect((await jitInstructions(JIT_RULES, changed.moment)()).map(({ name }) => name)).toEqual(["time is running out"]);
  const unlimited = moments();
  unlimited.now.percentLeft = undefined;
  expect(await jitInstructions(JIT_RULES, unlimited.moment)()).toEqual([]);
});

test("a rule's text may be made when it is due", async () => {
  const { moment } = moments();
  let made = 0;
  const due = jitInstructions([{ name: "now", text: () => `made ${++made}` }], moment);
  expect([await due(), await due()]).toEqual([[{ name: "now", text: "made 1" }], []]);
});
