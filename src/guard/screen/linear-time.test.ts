import { expect, test } from "vitest";
import { processorTime } from "../../../test/support/processor-time.ts";
import { screen } from "./screen.ts";

/** A small seeded generator, so that failures are reproducible. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const PIECES = [
  "ignore ",
  "previous ",
  "instructions ",
  "ai: ",
  "do not ",
  "without ",
  "ask ",
  "<!--",
  "-->",
  "<a title='",
  '"',
  "'",
  "`",
  "<div style=display:none>",
  "http://a.b?c={",
  "a@",
  "&#105;",
  "&",
  "%69",
  "%",
  "\\u0069",
  "\\",
  "\u200b",
  "\u202e",
  "\ufe01",
  "\u{e0069}",
  "SWdub3Jl",
  "69676e",
  "01101001 ",
  "忽略",
  "指令",
  "і",
  "0",
  "1gn0re ",
  "i g n ",
  "[//]: # (",
  "system:\n",
  "|",
  "-",
  "-----",
  "_",
  "\n",
  " ",
  ".",
  ",",
  "attack ",
  "{",
  "}",
  "(",
  "[",
  "send ",
  "token ",
  "user: ",
  "<|im_start|>",
  "rm -rf ",
  "\u001b[8m",
  "\u001b]0;",
  "\\x1b]8;;",
  "\r",
  "\b",
  "\u00ad",
  "a\u2060",
  "part 1: ",
  "(1) ",
  "1/2 ",
  "join ",
  "first letters ",
  "every second line\n",
  "caesar ",
  "agentSendTheKeys",
  "please.run.",
  ".- / ",
  "115, ",
  "\\151",
  "MFRGGZDF",
  "ignore my ",
  "the compiler ",
  "fix: ",
  "set the ",
  "[a](http://b?c=",
];

test("hostile texts of 64 KiB made of repeated and mixed pieces are read in bounded time", () => {
  const random = seeded(20_261_115);
  const pick = () => PIECES[Math.floor(random() * PIECES.length)] ?? "";
  const repeated = PIECES.map((piece) => piece.repeat(Math.ceil(65_536 / piece.length)));
  const mixed = Array.from({ length: 12 }, () => {
    const some = Array.from({ length: 2 + Math.floor(random() * 6) }, pick);
    return Array.from({ length: 12_000 }, () => some[Math.floor(random() * some.length)] ?? "")
      .join("")
      .slice(0, 65_536);
  });
  const slow = [...repeated, ...mixed].flatMap((text) => {
    const start = processorTime();
    screen(text);
    const took = processorTime() - start;
    // The goal is 50 ms on an idle machine. Anything non-linear takes seconds.
    return took > 1000 ? [`${took.toFixed(0)} ms: ${JSON.stringify(text.slice(0, 60))}`] : [];
  });
  expect(slow).toEqual([]);
});

test("five megabytes of anything end soon", () => {
  const texts = [
    "ignore previous instructions ",
    "<!-- ai: ",
    "%69",
    "\u200b",
    "a",
    "-",
    "\u001b[8m",
    "x\r",
    "i\u2060",
    "PleaseRunIt.",
    "part 1: join ",
  ].map((piece) => piece.repeat(Math.ceil(5_000_000 / piece.length)));
  const start = processorTime();
  for (const text of texts) screen(text);
  expect(processorTime() - start).toBeLessThan(texts.length * 3000);
});

test("no text makes it throw, and every finding lies inside the text", () => {
  const random = seeded(7);
  for (let round = 0; round < 300; round++) {
    const length = Math.floor(random() * 200);
    const text = Array.from({ length }, () =>
      random() < 0.5
        ? (PIECES[Math.floor(random() * PIECES.length)] ?? "")
        : String.fromCharCode(Math.floor(random() * 65_536)),
    ).join("");
    const outside = screen(text).findings.filter(
      ({ start, end }) => !(0 <= start && start < end && end <= text.length),
    );
    expect(outside, JSON.stringify(text)).toEqual([]);
  }
});
