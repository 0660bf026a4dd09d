import type { ModelCall } from "../../contract/engine-event.ts";
import { printable } from "../../lib/text/printable.ts";
import { mainArgument } from "./event-lines.ts";

const MAX_CHARACTERS = 4000;
const MAX_LINES = 60;
/** For arguments that don't determine the action, such as a file's new content. */
const MAX_ARGUMENT = 400;
/** What certainly fits on the screen together with the question. */
const SCREEN_COLUMNS = 600;
const SCREEN_LINES = 12;

/** A call as the user must see it before it may run, safe to print. */
export interface ShownCall {
  readonly text: string;
  /** False if a part was left out; the text then says how much. */
  readonly whole: boolean;
}

export function showCall({ name, input }: Pick<ModelCall, "name" | "input">): ShownCall {
  const { text, others } = mainArgument(input);
  const shown = beginning(text);
  const [first = "", ...more] = shown.split("\n");
  // Every line has a marker, so that none can be mistaken for one of ours.
  const callText =
    more.length === 0 ? `${name}${first === "" ? "" : " "}${first}` : [name, first, ...more].join("\n  │ ");
  const left = text.slice(shown.length);
  const missing = left === "" ? [] : [`  ${notShown(left)}`];
  const otherLines = others.filter(isUnusual).map(([key, value]) => argumentLine(key, JSON.stringify(value)));
  return {
    text: [printable(callText), ...missing, ...otherLines.map((line) => line.text), ...sizeOfLong(text)].join("\n"),
    whole: left === "" && otherLines.every((line) => line.whole),
  };
}

/** Present in every call and without effect on what it does. */
const USUAL = [`mode:"sync"`, "timeout_seconds:120", "raw:false"];

const isUnusual = ([key, value]: readonly [string, unknown]) => !USUAL.includes(`${key}:${JSON.stringify(value)}`);

function beginning(text: string): string {
  return text.slice(0, MAX_CHARACTERS).split("\n").slice(0, MAX_LINES).join("\n");
}

function argumentLine(key: string, value: string): ShownCall {
  const left = value.slice(MAX_ARGUMENT);
  const text = `  ${printable(key).replaceAll("\n", "\\n")}: ${printable(value.slice(0, MAX_ARGUMENT))}`;
  return { text: left === "" ? text : `${text}${notShown(left)}`, whole: left === "" };
}

/** Whitespace could push the beginning off the screen, so the size is shown next to the question. */
function sizeOfLong(text: string): readonly string[] {
  const lines = text.split("\n").length;
  const columns = printable(text).replaceAll("\t", " ".repeat(8)).length;
  if (columns <= SCREEN_COLUMNS && lines <= SCREEN_LINES) return [];
  return [
    `  (${count(text.length)} characters, ${count(lines)} ${lines === 1 ? "line" : "lines"}: scroll up for the start)`,
  ];
}

const count = (amount: number) => amount.toLocaleString("en-US");

function notShown(left: string): string {
  const lines = left.split("\n").length - 1;
  return `… not shown: ${count(left.length)} more characters${lines === 0 ? "" : `, ${count(lines)} more lines`}`;
}
