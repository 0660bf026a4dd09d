import type { ModelCall } from "../../contract/tool.ts";
import { printable } from "../../lib/printable.ts";
import { tellingPart } from "./describe-event.ts";

const MAX_CHARACTERS = 4000;
const MAX_LINES = 60;
/** Of an argument that does not say what is done, such as the new content of a file. */
const MAX_BESIDE = 400;
/** What certainly stands on the screen together with the question. */
const SCREEN_COLUMNS = 600;
const SCREEN_LINES = 12;

/** A call as a person must see it before it may run, safe to print. */
export interface ShownCall {
  readonly text: string;
  /** False when a part is left out; the text then says how much. */
  readonly whole: boolean;
}

export function showCall({ name, input }: Pick<ModelCall, "name" | "input">): ShownCall {
  const { text, others } = tellingPart(input);
  const shown = beginning(text);
  const [first = "", ...more] = shown.split("\n");
  // Every line has a mark, so that none can pass for a line of ours.
  const told = more.length === 0 ? `${name}${first === "" ? "" : " "}${first}` : [name, first, ...more].join("\n  │ ");
  const left = text.slice(shown.length);
  const missing = left === "" ? [] : [`  ${notShown(left)}`];
  const beside = others.filter(isUnusual).map(([key, value]) => besideLine(key, JSON.stringify(value)));
  return {
    text: [printable(told), ...missing, ...beside.map((line) => line.text), ...sizeOfLong(text)].join("\n"),
    whole: left === "" && beside.every((line) => line.whole),
  };
}

/** Every call of a tool has these, and they change nothing about what is done. */
const USUAL = [`mode:"sync"`, "timeout_seconds:120", "raw:false"];

const isUnusual = ([key, value]: readonly [string, unknown]) => !USUAL.includes(`${key}:${JSON.stringify(value)}`);

function beginning(text: string): string {
  return text.slice(0, MAX_CHARACTERS).split("\n").slice(0, MAX_LINES).join("\n");
}

function besideLine(key: string, value: string): ShownCall {
  const left = value.slice(MAX_BESIDE);
  const text = `  ${printable(key).replaceAll("\n", "\\n")}: ${printable(value.slice(0, MAX_BESIDE))}`;
  return { text: left === "" ? text : `${text}${notShown(left)}`, whole: left === "" };
}

/** Blanks could push the beginning off the screen: then the size stands beside the question. */
function sizeOfLong(text: string): readonly string[] {
  const lines = text.split("\n").length;
  const columns = printable(text).replaceAll("\t", " ".repeat(8)).length;
  if (columns <= SCREEN_COLUMNS && lines <= SCREEN_LINES) return [];
  return [
    `  (${count(text.length)} characters, ${count(lines)} ${lines === 1 ? "line" : "lines"}: it starts further up)`,
  ];
}

const count = (amount: number) => amount.toLocaleString("en-US");

function notShown(left: string): string {
  const lines = left.split("\n").length - 1;
  return `… not shown: ${count(left.length)} more characters${lines === 0 ? "" : `, ${count(lines)} more lines`}`;
}
