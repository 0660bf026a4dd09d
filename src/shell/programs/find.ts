import { doubt, type Effect } from "../model/effect.ts";
import { UNKNOWN, type Word, word } from "../model/word.ts";

const FLAGS = new Set(
  (
    "-depth -d -daystart -follow -ignore_readdir_race -noleaf -mount -xdev -warn -nowarn -empty -executable -readable -writable -nouser -nogroup -true -false " +
    "-print -print0 -ls -prune -quit -not -and -or -a -o ! ( ) , -E -X -L -P -H -s -x -help --help -version --version"
  ).split(" "),
);
const VALUES = new Set(
  (
    "-maxdepth -mindepth -regextype -amin -atime -cmin -ctime -mmin -mtime -fstype -gid -group -ilname -iname -inum -ipath -iregex -iwholename -links -lname -name -path " +
    "-perm -regex -size -type -uid -used -user -wholename -xtype -context -printf -O -D"
  ).split(" "),
);
const READS = new Set(["-newer", "-anewer", "-cnewer", "-samefile", "-files0-from"]);
const WRITES = new Set(["-fls", "-fprint", "-fprint0"]);
const RUNS = new Set(["-exec", "-execdir", "-ok", "-okdir"]);

/** find: starting points are read; tests are harmless; actions may delete, write or run. */
export function findEffects(words: readonly Word[]): readonly Effect[] {
  const effects: Effect[] = [];
  let starts = true;
  for (let at = 0; at < words.length; at++) {
    const current = words[at] ?? word("");
    const { text } = current;
    if (starts && !/^[-(!,]/.test(text)) effects.push({ kind: "read", word: current });
    else if (FLAGS.has(text) || /^-newer[aBcmt]{2}$/.test(text) || /^-O\d$/.test(text)) {
      if (!/^-[LPHEXO]/.test(text)) starts = false;
      if (text.startsWith("-newer")) at++;
    } else {
      starts = false;
      const step = findStep(words, at);
      effects.push(...step.effects);
      at += step.consumed;
    }
  }
  return effects;
}

function findStep(
  words: readonly Word[],
  at: number,
): { readonly effects: readonly Effect[]; readonly consumed: number } {
  const current = words[at] ?? word("");
  const { text, glob } = current;
  const value = words[at + 1] ?? word("");
  if (glob) return { effects: [doubt("option-unknown", "a pattern is used where find expects a test")], consumed: 0 };
  if (VALUES.has(text)) return { effects: [], consumed: 1 };
  if (READS.has(text)) return { effects: [{ kind: "read", word: value }], consumed: 1 };
  if (WRITES.has(text))
    return {
      effects: [{ kind: "write", word: value }, doubt("find-writes", `find ${text} writes a file`)],
      consumed: 1,
    };
  if (text === "-fprintf")
    return {
      effects: [{ kind: "write", word: value }, doubt("find-writes", `find ${text} writes a file`)],
      consumed: 2,
    };
  if (text === "-delete") return { effects: [deletion(words.slice(0, at)), { kind: "repository" }], consumed: 0 };
  if (RUNS.has(text)) {
    const end = words.findIndex(
      (item, index) => index > at && (item.text === ";" || (item.text === "+" && words[index - 1]?.text === "{}")),
    );
    const inner = words.slice(at + 1, end === -1 ? undefined : end);
    const elsewhere = text.endsWith("dir") && !namesOnlyFound(inner);
    return {
      effects: [...(elsewhere ? [ELSEWHERE] : []), ...runForFound(inner, words.slice(0, at))],
      consumed: inner.length + 1,
    };
  }
  return { effects: [doubt("option-unknown", `${text} is not a test or action of find`)], consumed: 0 };
}

/** `-execdir` runs in the folder of each result, where other names and git mean something else. */
const ELSEWHERE: Effect = { kind: "chdir", word: word(UNKNOWN) };

const namesOnlyFound = ([program, ...words]: readonly Word[]): boolean =>
  /^(?!git$)[\w-]+$/.test(program?.text ?? "") &&
  words.some(({ text }) => text === "{}") &&
  words.every(({ text }) => text === "{}" || /^-[\w-]+$/.test(text));

/** Without a test of the name, everything below is removed, and above a plain folder that includes a repository. */
function deletion(words: readonly Word[]): Effect {
  const empty = words.some(({ text }) => text === "-empty");
  return !empty && foundFiles(words).some(({ text }) => text.endsWith("/.*") && !PLAIN_FOLDER.test(text))
    ? doubt("find-empties", "find -delete removes everything it finds, whatever its name")
    : doubt("find-deletes", "find -delete removes what it finds");
}

const PLAIN_FOLDER = /^(?:\/tmp\/|(?:\.\/)?(?!\.git\/))[\w-][\w.-]*(?:\/[\w-][\w.-]*)*\/\.\*$/;

/** The inner command once for each name that find may return, with `{}` replaced by a file of that name. */
function runForFound(inner: readonly Word[], before: readonly Word[]): readonly Effect[] {
  return foundFiles(before)
    .slice(0, 8)
    .map((found): Effect => ({ kind: "run", words: inner.map((item) => insert(item, found)), sure: true }));
}

function insert(item: Word, found: Word): Word {
  if (item.text === "{}") return found;
  return item.text.includes("{}") ? { ...item, text: item.text.replaceAll("{}", UNKNOWN) } : item;
}

/** The files that find may return, one pattern per alternative. Its wildcards match a leading dot. */
export function foundFiles(words: readonly Word[]): readonly Word[] {
  const [first] = words;
  const start = first !== undefined && !/^[-(!]/.test(first.text) ? first.text : ".";
  return namesTested(words).map((name) =>
    name === ".*"
      ? { text: `${start}/.*`, glob: true }
      : { text: `${start}/**/${name}`, glob: true, dots: /[*?[]/.test(name) },
  );
}

const OR = /^(?:-o|-or|,)$/;

/**
 * The possible names of find's results. An alternative without a name test, or with `*` alone, matches any file,
 * including hidden ones.
 */
function namesTested(words: readonly Word[]): readonly string[] {
  const alternatives: Word[][] = [[]];
  for (const current of words) {
    if (OR.test(current.text)) alternatives.push([]);
    else alternatives.at(-1)?.push(current);
  }
  return alternatives.flatMap((part, index): readonly string[] => {
    // Pruned entries are skipped, unless the same alternative also acts on them.
    const has = (pattern: RegExp) => part.some(({ text }) => pattern.test(text));
    if (index < alternatives.length - 1 && has(/^-prune$/) && !has(/^-(?:f?print|ls|exec|ok)/)) return [];
    const names = part.flatMap(({ text }, at) => {
      const negated = /^(?:!|-not)$/.test(part[at - 1]?.text ?? "");
      return /^-i?name$/.test(text) && !negated ? (part[at + 1]?.text ?? []) : [];
    });
    const narrow = names.filter((name) => !/^\*+$/.test(name));
    return narrow.length === 0 ? [".*"] : narrow;
  });
}
