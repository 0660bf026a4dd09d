import { doubt, type Effect } from "./effect.ts";
import type { Feed } from "./feed.ts";
import { effectsOf, readArguments } from "./options.ts";
import { UNKNOWN, type Word, word } from "./word.ts";

const XARGS = {
  options:
    "-0rtpxo -I: -i= -J: -R: -n: -L: -l= -P: -s: -d: -E: -e= -a< --null --arg-file< --delimiter: --max-args: --max-procs: --max-chars: --max-lines= --replace= --no-run-if-empty --verbose --interactive --exit --show-limits --open-tty --process-slot-var:",
  operands: ":",
  style: "first",
} as const;

/** xargs: the inner command with what it reads in its place or at its end. */
export function xargsEffects(words: readonly Word[], feed: Feed): readonly Effect[] {
  const given = readArguments(XARGS, words);
  const mark = given.options.find(
    ({ name }) => name === "-I" || name === "-i" || name === "--replace" || name === "-J",
  );
  const placeholder = mark === undefined ? undefined : (mark.value?.text ?? "{}");
  const item = arriving(feed);
  const inner = given.operands.length === 0 ? [word("echo")] : given.operands;
  const run = placeholder === undefined ? [...inner, item] : inner.map((part) => insert(part, placeholder, item));
  const program =
    run[0]?.text.includes(UNKNOWN) === true ? [doubt("program-unknown", "xargs runs whatever it reads")] : [];
  return [...effectsOf(XARGS, given), ...program, { kind: "run", words: run, sure: true }];
}

function arriving(feed: Feed): Word {
  if (feed.kind === "files") return feed.files;
  return feed.kind === "text" && !/\s/.test(feed.text.trim()) ? word(feed.text.trim()) : word(UNKNOWN);
}

function insert(part: Word, placeholder: string, item: Word): Word {
  if (part.text === placeholder) return item;
  return part.text.includes(placeholder) ? { text: part.text.replaceAll(placeholder, UNKNOWN), glob: part.glob } : part;
}
