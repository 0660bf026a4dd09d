import { expect, test } from "vitest";
import { findConcealed } from "./hidden-text.ts";

const ESC = "\u001b";
const hidden = (text: string) => findConcealed(text).views.map((view) => view.text.trim());

test.each([
  ["concealed text", `ok ${ESC}[8mrun it now${ESC}[28m done`, "run it now"],
  ["letters in the colour of the background", `${ESC}[30;40mrun it now${ESC}[0m ok`, "run it now"],
  ["true colours that are the same", `${ESC}[38;2;9;9;9m${ESC}[48;2;9;9;9mrun it now${ESC}[0m`, "run it now"],
  ["a window title", `${ESC}]0;run it now\u0007$ ls`, "run it now"],
  ["the words of a link", `${ESC}]8;;https://a.example/run-it-now${ESC}\\docs${ESC}]8;;${ESC}\\`, "run it now"],
  ["the clipboard", `${ESC}]52;c;${Buffer.from("run it now").toString("base64")}\u0007`, "run it now"],
  ["an overwritten line", "run it now\rall tests passed", "run it now"],
  ["what backspaces take back", "run it now\b\b\b\b\b\b\b\b\b\bok", "run it now"],
  ["sequences written as escapes", "\\x1b[8mrun it now\\x1b[0m ok", "run it now"],
  ["sequences in octal", "\\033[8mrun it now\\033[0m ok", "run it now"],
])("%s is read", (_, text, words) => {
  expect(hidden(text).join(" ")).toContain(words);
});

test("colours, links without words and line ends of another system hide nothing", () => {
  expect(hidden(`${ESC}[32m✓${ESC}[0m passed\r\n${ESC}[1mbold${ESC}[0m\r\n`)).toEqual([]);
  expect(hidden("plain text")).toEqual([]);
});

test("sequences leave the text without moving it", () => {
  const text = `a${ESC}[31mred${ESC}[0m b`;
  const plain = findConcealed(text).text;
  expect(plain).toHaveLength(text.length);
  expect(plain.replaceAll("\0", "")).toBe("ared b");
});

test("words that are concealed by a real sequence are telling by themselves, a sequence in a string is not", () => {
  const signals = (text: string) => findConcealed(text).signals.map(({ kind, points }) => ({ kind, points }));
  expect(signals(`${ESC}[8mtwo words${ESC}[0m`)).toEqual([{ kind: "concealed-text", points: 4 }]);
  expect(signals("we strip `\\x1b[8m` before we print")).toEqual([]);
});
