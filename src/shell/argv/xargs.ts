import { doubt, type Effect } from "../model/effect.ts";
import type { Feed } from "../model/state.ts";
import { type Arguments, effectsOf, readArguments } from "../programs/options.ts";
import { isVariable, UNKNOWN, type Word, word } from "../model/word.ts";

const XARGS = {
  options:
    "-0rtpxo -I: -i= -J: -R: -n: -L: -l= -P: -s: -d: -E: -e= -a< --null --arg-file< --delimiter: --max-args: --max-procs: --max-chars: --max-lines= --replace= --no-run-if-empty --verbose --interactive --exit --show-limits --open-tty --process-slot-var:",
  operands: ":",
  style: "first",
} as const;

/** xargs: the inner command, with its input inserted or appended, once per run. */
export function xargsEffects(words: readonly Word[], feed: Feed): readonly Effect[] {
  const given = readArguments(XARGS, words);
  const inner = given.operands.length === 0 ? [word("echo")] : given.operands;
  const runs = commandsOf(inner, given, feed);
  const opaque = runs.some(([program]) => program === undefined || isVariable(program.text) || program.glob);
  const own = words.slice(0, words.length - given.operands.length);
  return [
    ...effectsOf(XARGS, given),
    ...(opaque ? [doubt("program-unknown", "xargs runs whatever it reads")] : []),
    ...(own.some(({ open }) => open === true)
      ? [doubt("operand-unknown", "its options are only known at run time")]
      : []),
    ...runs.map((run): Effect => ({ kind: "run", words: run, sure: true })),
  ];
}

/**
 * Each command that runs, or one with unknown words if that is uncertain. A text that is only likely adds its own
 * commands.
 */
function commandsOf(inner: readonly Word[], given: Arguments, feed: Feed): readonly (readonly Word[])[] {
  const mark = given.options.find(({ name }) => REPLACES.has(name));
  const insert = (items: readonly Word[]) =>
    mark === undefined ? [...inner, ...items] : inner.map((part) => inserted(part, mark.value?.text ?? "{}", items));
  if (feed.kind === "files") {
    const plain = given.options.every(({ name }) => !SHAPES.test(name));
    return plain ? feed.files.map((file) => insert([file])) : [insert([OPEN])];
  }
  const batches = feed.kind === "text" ? batchesOf(feed.text, given) : undefined;
  if (feed.kind !== "text" || !feed.sure || batches === undefined) {
    const likely = feed.kind === "text" ? feed.text.replaceAll(/['"\\]/g, "").split(/\s+/) : [];
    const items = likely.filter((item) => item !== "").slice(0, MAX_RUNS * 2);
    return [insert([OPEN]), ...(items.length === 0 ? [] : [insert(items.map(word))])];
  }
  return batches.map((items) => insert(items.map(word)));
}

const OPEN: Word = { text: UNKNOWN, glob: false, open: true };
const REPLACES = new Set(["-I", "-i", "--replace", "-J"]);

/** Options that split the input in ways we do not model. */
const SHAPES = /^-(?:[aJRLlsdEexi]|-(?:arg-file|delimiter|max-lines|max-chars|exit|eof))$/;
const MAX_RUNS = 16;

/** The items for each run of the command; undefined if the input is not split that simply. */
function batchesOf(text: string, { options, strange }: Arguments): readonly (readonly string[])[] | undefined {
  // Quotes, backslashes and other kinds of white space have special meanings.
  if (/[^ -~\t\n]|['"\\]/.test(text) || strange.length > 0) return undefined;
  const shaping = options.filter(
    ({ name }) => /^-(?:[nI0]|-(?:max-args|replace|null))$/.test(name) || SHAPES.test(name),
  );
  const [only] = shaping;
  if (shaping.length > 1) return undefined;
  const items = text.split(/[ \t\n]+/).filter((item) => item !== "");
  switch (only?.name) {
    case undefined:
      return [items];
    case "-0":
    case "--null":
      return text === "" ? undefined : [[text]];
    case "-I":
    case "--replace":
      return lineBatches(text);
    case "-n":
    case "--max-args":
      return sizedBatches(items, only?.value?.text ?? "");
    default:
      return undefined;
  }
}

function lineBatches(text: string): readonly (readonly string[])[] | undefined {
  const lines = text.split("\n").map((line) => line.replace(/^[ \t]+/, ""));
  const used = lines.filter((line) => line !== "");
  return used.length > MAX_RUNS || used.some((line) => /[ \t]$/.test(line)) ? undefined : used.map((line) => [line]);
}

function sizedBatches(items: readonly string[], most: string): readonly (readonly string[])[] | undefined {
  if (!/^[1-9]\d?$/.test(most) || items.length > MAX_RUNS) return undefined;
  const size = Number(most);
  const count = Math.max(1, Math.ceil(items.length / size));
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size));
}

function inserted(part: Word, placeholder: string, items: readonly Word[]): Word {
  const [item = OPEN] = items;
  if (part.text === placeholder) return { ...item, open: false };
  return part.text.includes(placeholder) && placeholder !== ""
    ? { text: part.text.replaceAll(placeholder, item.glob ? UNKNOWN : item.text), glob: part.glob }
    : part;
}
