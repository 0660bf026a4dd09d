import { expect, test } from "vitest";
import { historyProblems } from "../../../test/support/history-problems.ts";
import { type Dice, dice, randomLine } from "../../../test/support/random-session.ts";
import { says, sessionParts, tool } from "../../../test/support/scripted-session.ts";
import { isForSummary, smallWindow } from "../../../test/support/small-window.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { openHistory } from "../../contract/history.ts";
import { SessionRecord } from "../../contract/session-record.ts";
import { type Model, ModelError } from "../../models/model.ts";
import { newSessionId } from "../log/log-folder.ts";
import { historyEdit, replay } from "../log/replay.ts";
import { createSession, openSession, type Session } from "../log/session-log.ts";
import { type Conversation, converse, type TalkingAgent } from "./conversation.ts";

/** Random answers and failures, and summaries that are good, empty, too long, late or fail. */
function randomModel(die: Dice): Model {
  const { model } = smallWindow({
    window: die.pick(600, 1_200, 3_000),
    answer: () => says("unused"),
    usage: (tokens) => die.pick(tokens, tokens, undefined, 0, tokens * 3, 7),
    summary: async () => {
      if (die.chance(0.2)) await new Promise((resolve) => setImmediate(resolve));
      if (die.chance(0.15)) throw new ModelError("no summary", { kind: die.pick("refused", "transient", "too-large") });
      return die.pick("Title\nShort.", "Title\nDecision: keep the tabs.", "", "long ".repeat(3_000));
    },
  });
  let answers = 0;
  return {
    ...model,
    async *ask(request, signal) {
      if (isForSummary(request)) return yield* model.ask(request, signal);
      const line = ++answers > 60 ? says("enough") : randomLine(die);
      if ("fails" in line) throw line.fails;
      yield { type: "answer", message: line, usage: undefined };
    },
  };
}

function randomParts(die: Dice, steer: () => void): TalkingAgent {
  const text = () => die.pick("short", "a longer result ".repeat(40), "line\n".repeat(120));
  const work = (name: string, sideBySide: boolean) =>
    tool(
      name,
      () => {
        if (die.chance(0.08)) steer();
        if (die.chance(0.1)) throw new Error("broke");
        const images = die.chance(0.1)
          ? { images: [{ mediaType: "image/png", base64: die.pick("AA==", "AAAA") }] }
          : {};
        return { text: text(), failed: false, ...images };
      },
      sideBySide,
    );
  const hooks = {
    userPromptSubmitted: [
      async ({ prompt }: { prompt: string }) => (die.chance(0.3) ? { modifiedPrompt: `${prompt}!` } : undefined),
    ],
    postToolUse: [async () => (die.chance(0.2) ? { modifiedResult: { text: "changed", failed: false } } : undefined)],
  };
  return sessionParts(randomModel(die), { tools: [work("read", true), work("write", false)], hooks });
}

/** A session that also keeps what it has written, as it is read back, and the history that follows from it. */
function watched(session: Session) {
  const records = [...session.before];
  const history = openHistory(replay(records).history);
  const append = (written: SessionRecord) => {
    session.append(written);
    const record = SessionRecord.parse(JSON.parse(JSON.stringify(written)));
    records.push(record);
    const edit = historyEdit(record);
    if (edit !== undefined) history.apply(edit);
  };
  return { records, fromLog: () => history.messages, session: { ...session, append } };
}

test("after every event the history in the log is the one in memory, with compaction, steering, hooks and crashes", async () => {
  const seen = new Map<string, number>();
  for (let seed = 1; seed <= 120; seed++) {
    const die = dice(seed);
    const at = { folder: tempFolder(), now: () => 0 };
    const id = newSessionId(seed);
    let before: readonly SessionRecord[] = [];
    for (let life = 0; life < 3; life++) {
      using opened = life === 0 ? createSession({ id, cwd: "/", model: "rehearsed/model" }, at) : openSession(id, at);
      const { records, fromLog, session } = watched(opened);
      let conversation: Conversation;
      const parts = randomParts(die, () => conversation.add("and this"));
      conversation = converse(session, parts);
      expect({ seed, life, same: conversation.history }).toEqual({ seed, life, same: replay(before).history });
      conversation.add(`prompt ${life}`);
      const crashAt = die.chance(0.5) ? die.below(80) : -1;
      let count = 0;
      for await (const event of conversation.run(new AbortController().signal)) {
        seen.set(event.type, (seen.get(event.type) ?? 0) + 1);
        expect({ seed, event, log: fromLog() }).toEqual({
          seed,
          event,
          log: conversation.history,
        });
        if (++count === crashAt) break;
      }
      if (crashAt === -1)
        expect({ seed, problems: historyProblems(conversation.history) }).toEqual({ seed, problems: [] });
      before = records;
    }
  }
  for (const type of ["compaction-end", "compaction-failed", "history-replaced", "tool-end"])
    expect({ type, happened: (seen.get(type) ?? 0) > 10 }).toEqual({ type, happened: true });
});
