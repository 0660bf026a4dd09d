import { join } from "node:path";
import { expect, test } from "vitest";
import { knowledgeScene } from "../../../test/support/knowledge-scene.ts";
import type { SessionRecord } from "../../contract/session-record.ts";
import type { RequestStep } from "../engine/processor.ts";
import { loadInstructions } from "./instructions.ts";
import { turnKnowledge } from "./turn-knowledge.ts";

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
