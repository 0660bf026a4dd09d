import { expect, test } from "vitest";
import { call, calls, says, sessionParts, tool } from "../../../test/support/scripted-session.ts";
import { smallWindow } from "../../../test/support/small-window.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import type { LoopEvent } from "../../contract/engine-event.ts";
import { EngineSettings } from "../../contract/engine-settings.ts";
import { historyPieces } from "../../contract/history.ts";
import type { AssistantMessage, Message } from "../../contract/message.ts";
import type { Model, ModelRequest } from "../../models/model.ts";
import { newSessionId } from "../log/log-folder.ts";
import { createSession } from "../log/session-log.ts";
import { converse, type TalkingAgent } from "../session/conversation.ts";
import { cutPlace } from "./compacted-history.ts";
import { type Compaction, compaction } from "./compaction.ts";

/** What must not get lost: in prompts, in answers of the person, in what the agent decided, in a rejection. */
const PROMPTS = 10;
const facts = {
  prompt: (n: number) => [`use port ${4100 + n}`, `never touch legacy_${n}.c`],
  answer: (n: number) => `the region is eu-central-${n}`,
  decision: (n: number) => `parse the ledger ${n} with a streaming reader`,
  constraint: (n: number) => `keep the public name export_${n} unchanged`,
};
const planted = Array.from({ length: PROMPTS }, (_, n) => [
  ...facts.prompt(n),
  facts.answer(n),
  facts.decision(n),
  facts.constraint(n),
]).flat();

const TURNS = 8;

/** The agent reads long files, asks the person once for each prompt, and states what it decided. */
function work(_: ModelRequest, n: number): AssistantMessage {
  const [prompt, turn] = [Math.floor(n / TURNS), n % TURNS];
  const id = `c${n}`;
  if (turn === TURNS - 1) return says(`Part ${prompt} is done.`);
  if (turn === 0) return calls(call(id, "ask_user", { question: `Which region for part ${prompt}?` }));
  const text =
    turn === 1 ? `Decision: ${facts.decision(prompt)}\n- **Constraint:** ${facts.constraint(prompt)}` : "Reading on.";
  return calls({ type: "text", text }, call(id, "read", { path: `file_${n}.c` }));
}

const tools = [
  tool("read", ({ path }) => ({
    text: `${String(path)}\n${"int value = compute(offset, length);\n".repeat(90)}`,
    failed: false,
  })),
  tool("ask_user", ({ question }) => {
    const [part = "0"] = /\d+/.exec(String(question)) ?? [];
    return { text: `The person answered: ${facts.answer(Number(part))}`, failed: false };
  }),
];

async function session(make: (model: Model) => Compaction) {
  // It says the same whatever it is told, and leaves out everything that matters.
  const scene = smallWindow({
    window: 7_000,
    answer: work,
    summary: () => "Work on files\nFiles were read. More work is left.",
  });
  const folder = tempFolder();
  using log = createSession({ id: newSessionId(0), cwd: "/", model: "rehearsed/model" }, { folder, now: () => 0 });
  const parts: TalkingAgent = { ...sessionParts(scene.model, { tools }), compaction: make(scene.model) };
  const conversation = converse(log, parts);
  const events: string[] = [];
  for (let n = 0; n < PROMPTS; n++) {
    conversation.add(`Do part ${n}: ${facts.prompt(n).join(", and ")}.`);
    for await (const { type } of conversation.run(new AbortController().signal)) events.push(type);
  }
  const last = JSON.stringify(scene.asked.at(-1)?.history);
  return { ...scene, events, lost: planted.filter((fact) => !last.includes(fact)) };
}

const settings = EngineSettings.parse({});
const clock = { now: () => 0, random: () => 0.5, pause: async () => {} };
const signal = new AbortController().signal;

/** Only the summary and the last messages, as simpler agents do it. */
function summaryOnly(model: Model): Compaction {
  const whole = compaction({ model, settings, clock, signal });
  async function* shortened(events: AsyncGenerator<LoopEvent, void> | undefined, history: () => readonly Message[]) {
    for await (const event of events ?? []) {
      const now = history();
      const cut = cutPlace(now, { count: (messages) => JSON.stringify(messages).length / 4, limit: 7_000 });
      const told = { role: "user", text: "Files were read. More work is left.", source: "summary" } as const;
      yield event.type === "history-replaced"
        ? { ...event, pieces: historyPieces(now, [told, says("Read."), ...now.slice(cut)]) }
        : event;
    }
  }
  return {
    ...whole,
    preRequest: (step) => shortened(whole.preRequest?.(step), () => step.history),
    onRequestError: (error, step) => shortened(whole.onRequestError?.(error, step), () => step.history),
  };
}

test("50 facts and conditions survive ten and more compactions by a summariser that forgets everything", async () => {
  const ours = await session((model) => compaction({ model, settings, clock, signal }));
  expect(planted).toHaveLength(50);
  expect(ours.events.filter((type) => type === "compaction-end").length).toBeGreaterThanOrEqual(10);
  expect(ours.lost).toEqual([]);

  const baseline = await session(summaryOnly);
  expect(baseline.events.filter((type) => type === "compaction-end").length).toBeGreaterThanOrEqual(5);
  expect(baseline.lost.length).toBeGreaterThan(25);
});
