import { expect, test } from "vitest";
import type { SessionEvent } from "../contract/engine-event.ts";
import { ConversationView } from "./conversation-view.ts";
import { styleFor } from "./style.ts";

// oxlint-disable-next-line no-control-regex -- colours
const plain = (lines: readonly string[]) => lines.map((line) => line.replaceAll(/\u001b\[\d*m/g, ""));

function opened() {
  let time = 0;
  const words = {
    event: (event: SessionEvent) =>
      event.type === "gate-passed"
        ? `${event.gate}: passed`
        : event.type === "tool-start" && event.call.name === "report_intent"
          ? "next: look"
          : undefined,
    outcome: ({ because }: { readonly because: string }) => [because],
    call: ({ name }: { readonly name: string }) => name,
    question: () => ({ text: "", whole: true }),
  };
  const view = new ConversationView({
    style: styleFor({ NO_COLOR: "1" }),
    now: () => (time += 1_000),
    words: () => words,
  });
  const see = (...events: readonly SessionEvent[]) => events.forEach((event) => view.see(event));
  return { view, see, done: () => plain(view.take(60)), live: () => plain(view.live(60)) };
}

const says = (text: string): SessionEvent => ({ type: "text-delta", text });
const asks = (text: string): SessionEvent => ({ type: "message", message: { role: "user", source: "person", text } });
const begins = (id: string, name = "read"): SessionEvent => ({ type: "tool-start", call: { id, name, input: {} } });
const ends = (callId: string, text = ""): SessionEvent => ({
  type: "tool-end",
  result: { callId, name: "read", text, failed: false },
  ran: true,
  deeds: [],
});

test("what is done is given once, in order, with an empty line between different things", () => {
  const { see, done, live } = opened();
  see(asks("fix it\nplease"), says("I look.\n\nStill typ"));
  expect(done()).toEqual(["❯ fix it", "  please", "", "I look.", ""]);
  expect([live(), done()]).toEqual([["Still typ"], []]);
  see(says("ing."), begins("1"), begins("2"));
  expect(done()).toEqual(["Still typing."]);
  see(ends("2"));
  expect([done(), live().length]).toEqual([[], 3]);
  see(ends("1"), { type: "gate-passed", gate: "acceptance" });
  expect(done()).toEqual(
    ["", "• read 1.0 s", "• read 2.0 s", "", "acceptance: passed"].map((line) =>
      expect.stringMatching(line === "" ? /^$/ : new RegExp(line.slice(0, 5))),
    ),
  );
});

test("thinking is shown by its end while it lasts, then folded away, and unfolded by a key", () => {
  const { view, see, done, live } = opened();
  see({ type: "thinking-delta", text: "one\ntwo\nthree\nfour" });
  expect(live()).toEqual(["  two", "  three", "  four"]);
  see(says("So."));
  expect(done()).toEqual(["thought for 2 s (ctrl-o shows it)", ""]);
  view.unfold();
  expect(done()).toEqual(["So.", "", "  one", "  two", "  three", "  four"]);
  view.unfold();
  expect(done()).toEqual(["nothing else is folded"]);
});

test("an intent is a sentence, a run that was cut off leaves no call behind, and its end is said", () => {
  const { view, see, done, live } = opened();
  see(begins("1", "report_intent"), ends("1"), begins("2"));
  view.ended({ reason: "aborted", because: "interrupted" });
  expect([done(), live()]).toEqual([["next: look", "interrupted"], []]);
  view.ended({ reason: "answered", because: "" });
  expect(done()).toEqual([]);
});

test("a resumed conversation shows its last question and answer; a long prompt is shown by its beginning", () => {
  const { view, see, done } = opened();
  view.showEnd([
    { role: "user", source: "person", text: "first" },
    { role: "assistant", parts: [{ type: "text", text: "**Answer**" }], stop: "end" },
  ]);
  expect(done()).toEqual(["❯ first", "", "Answer"]);
  see(asks("line\n".repeat(30_000)));
  const shown = done();
  expect([shown.length, shown.at(-1)]).toEqual([14, "  … 150,000 characters"]);
});
