import type { SessionEvent } from "../../src/contract/engine-event.ts";
import { EngineSettings } from "../../src/contract/engine-settings.ts";
import { openHistory } from "../../src/contract/history.ts";
import type { AnswerPart } from "../../src/contract/message.ts";
import type { ToolOutput } from "../../src/contract/tool.ts";
import { guardProcessor } from "../../src/native/engine/processor.ts";
import { promptQueue, runSession } from "../../src/native/engine/run-session.ts";
import { fails, type Line, rehearsed, sessionParts, tool } from "./scripted-session.ts";

/** Numbers that look random and are the same in every run. */
export function dice(seed: number) {
  let state = seed * 2654435761 + 1;
  const next = () => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 0x9e3779b9) >>> 0;
    return state / 2 ** 32;
  };
  const below = (most: number) => Math.floor(next() * most);
  return {
    below,
    chance: (share: number) => next() < share,
    pick: <Item>(...items: [Item, ...Item[]]) => items[below(items.length)] ?? items[0],
  };
}
export type Dice = ReturnType<typeof dice>;

export function randomLine(die: Dice): Line {
  if (die.chance(0.15))
    return fails(die.pick("transient", "transient", "too-large", "refused"), die.pick("", "half an ans"));
  const parts: AnswerPart[] = [];
  if (die.chance(0.3)) parts.push({ type: "thinking", text: "hm", extras: { p: { signature: "s" } } });
  if (die.chance(0.6)) parts.push({ type: "text", text: die.pick("Working.", " ", "\ud800 lone") });
  const count = die.chance(0.65) ? die.below(5) : 0;
  for (let index = 0; index < count; index++) {
    const name = die.pick("read", "read", "write", "write", "missing", "a name with blanks");
    const malformed = die.chance(0.1) ? { malformed: "{" } : {};
    parts.push({
      type: "call",
      id: die.pick("same", "x y", `c${die.below(50)}`),
      name,
      input: { n: index },
      ...malformed,
    });
  }
  if (die.chance(0.02))
    for (let index = 0; index < 150; index++) parts.push({ type: "call", id: `m${index}`, name: "read", input: {} });
  const stop = die.chance(0.05)
    ? die.pick("length", "refusal")
    : parts.some(({ type }) => type === "call")
      ? "calls"
      : "end";
  return { role: "assistant", parts, stop };
}

/** A session of random answers, failures, tool outcomes, rulings, gate blocks and an interruption at a random event. */
export async function randomSession(seed: number) {
  const die = dice(seed);
  const abort = new AbortController();
  const ran: string[] = [];
  const queue = promptQueue([{ id: "p0", message: { role: "user", text: "go", source: "person" } }]);
  const work =
    (sideBySide: boolean) =>
    async (_: unknown, { callId, signal, progress }: Context): Promise<ToolOutput> => {
      ran.push(callId);
      progress("at work");
      if (die.chance(0.3)) await new Promise((resolve) => setImmediate(resolve));
      if (die.chance(0.05))
        queue.add({ id: `q${ran.length}`, message: { role: "user", text: "and this", source: "person" } });
      switch (die.below(sideBySide ? 6 : 5)) {
        case 0:
          throw new Error("tool broke");
        case 1:
          return { text: "", failed: true };
        case 2:
          // Hangs until it is interrupted; the test interrupts it, as a person would.
          setImmediate(() => abort.abort());
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
          return { text: "stopped", failed: true };
        case 3:
          return { text: "see", failed: false, images: [{ mediaType: "image/png", base64: "AA==" }] };
        default:
          return { text: "fine", failed: false };
      }
    };
  const guard = guardProcessor(async () => {
    if (die.chance(0.02)) throw new Error("guard broke");
    return die.pick(
      { verdict: "allow" },
      { verdict: "allow" },
      { verdict: "allow" },
      { verdict: "deny", because: "no" },
      { verdict: die.chance(0.3) ? "reject" : "allow", because: "stop" },
    );
  });
  const { model } = rehearsed(...Array.from({ length: 40 }, () => randomLine(die)));
  const parts = sessionParts(model, {
    queue,
    tools: [tool("read", work(true), true), tool("write", work(false))],
    processors: [guard],
    gates: [{ name: "dice", exitCode: 9, check: async () => (die.chance(0.4) ? "go on" : undefined) }],
    signal: abort.signal,
    settings: EngineSettings.parse({ turns: 20, gate_blocks: 3 }),
  });
  const stopAt = die.chance(0.4) ? die.below(60) : -1;
  const events: SessionEvent[] = [];
  const history = openHistory();
  const session = runSession(history, parts);
  for (let next = await session.next(); ; next = await session.next()) {
    if (next.done === true) return { events, ran, outcome: next.value, history: history.messages };
    events.push(next.value);
    if (events.length === stopAt) abort.abort();
  }
}
type Context = { readonly callId: string; readonly signal: AbortSignal; readonly progress: (text: string) => void };
