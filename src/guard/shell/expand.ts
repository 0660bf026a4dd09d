import { isHarmlessVariable } from "./environment.ts";
import { copyState, type Place, report, UNKNOWN_WORD } from "./examination.ts";
import { expandBraces } from "./braces.ts";
import { knownOutput } from "./known-output.ts";
import { MAX_VALUE } from "./limits.ts";
import type { Piece, RawWord } from "./script.ts";
import { UNKNOWN, type Word } from "./word.ts";

const MOST_WORDS = 64;

interface Growing {
  readonly text: string;
  readonly glob: boolean;
  /** An unquoted value with blanks is in it: the shell makes several words of it. */
  readonly splits: boolean;
}

/** The words that the shell would make of one, as far as they are known. Substitutions inside are examined on the way. */
export function expand(raw: RawWord, place: Place): readonly Word[] {
  const [only] = raw.pieces;
  if (raw.pieces.length === 1 && only?.kind === "text" && (only.quoted || !only.text.startsWith("~")))
    return [{ text: only.text, glob: false }];
  let words: readonly Growing[] = [{ text: "", glob: false, splits: false }];
  raw.pieces.forEach((piece, index) => {
    const values = pieceValues(piece, index === 0, place);
    if (words.length * values.length > MOST_WORDS) words = [plain(UNKNOWN)];
    else
      words = words.flatMap((before) =>
        values.map((value) => ({
          text: before.text + value.text,
          glob: before.glob || value.glob,
          splits: before.splits || value.splits,
        })),
      );
  });
  if (words.some(({ text }) => text.length > MAX_VALUE) && raw.pieces.length > 1)
    return [{ text: UNKNOWN, glob: false }];
  return words.flatMap(({ text, glob, splits }) =>
    splits
      ? text
          .split(/[ \t\n]+/)
          .filter((part) => part !== "")
          .map((part) => ({ text: part, glob }))
      : [{ text, glob }],
  );
}

/** The one word of an assignment or redirection. */
export function expandOne(raw: RawWord, place: Place): Word {
  const words = expand(raw, place);
  return words.length === 1
    ? (words[0] ?? UNKNOWN_WORD)
    : { text: words.map(({ text }) => text).join(" "), glob: words.some(({ glob }) => glob) };
}

function pieceValues(piece: Piece, first: boolean, place: Place): readonly Growing[] {
  switch (piece.kind) {
    case "text":
      return [plain(first && !piece.quoted ? expandTilde(piece.text, place) : piece.text)];
    case "glob":
      return [{ ...plain(piece.text), glob: true }];
    case "number":
      return [plain("0")];
    case "braces":
      return (expandBraces(piece.text) ?? [UNKNOWN]).map(plain);
    case "variable":
      return [variableValue(piece.name, piece.quoted, place)];
    case "script": {
      place.exam.steps.nodes(piece.nodes, {
        ...place,
        state: copyState(place.state),
        feed: { kind: "none" },
        depth: place.depth + 1,
      });
      // The shell hands a process over as a descriptor, which is open to whoever gets it.
      const known = piece.process ? "/dev/stdin" : knownOutput(piece.nodes, place);
      const bare = !piece.quoted && known !== undefined;
      return [{ text: known ?? UNKNOWN, glob: bare && isPattern(known), splits: bare && /\s/.test(known) }];
    }
    case "unknown":
      place.exam.steps.nodes(piece.nodes, {
        ...place,
        state: copyState(place.state),
        feed: { kind: "none" },
        depth: place.depth + 1,
      });
      report(place.exam, {
        verdict: "ask",
        code: "value-unknown",
        rule: "proof",
        because: `${piece.because} is only known at run time`,
        fragment: piece.because,
      });
      return [plain(UNKNOWN)];
  }
}

/** The shell expands wildcards in an unquoted value, however the value was quoted itself. */
const isPattern = (value: string) => /[*?[]/.test(value);

function plain(text: string): Growing {
  return { text, glob: false, splits: false };
}

function expandTilde(text: string, { exam }: Place): string {
  if (text === "~" || text.startsWith("~/")) return exam.policy.policy.home + text.slice(1);
  return text.startsWith("~") ? UNKNOWN + text : text;
}

function variableValue(name: string, quoted: boolean, place: Place): Growing {
  const { exam, state } = place;
  const set = state.variables.get(name);
  const value = set?.text ?? environmentValue(name, place);
  if (value !== undefined && !quoted && place.shell === "any" && /[\s*?[]/.test(value))
    report(exam, {
      verdict: "ask",
      code: "shell-differs",
      rule: "proof",
      because: `bash makes several words of $${name} and zsh one, and it is not certain that bash runs this`,
      fragment: `$${name}`,
    });
  if (value !== undefined)
    return {
      text: value,
      glob: set?.glob === true || (!quoted && isPattern(value)),
      splits: !quoted && /\s/.test(value),
    };
  if (!isHarmlessVariable(name)) {
    const secret = /key|token|secret|passw|credential|auth|cookie|session|private/i.test(name);
    report(exam, {
      verdict: "ask",
      code: secret ? "secret-variable" : "value-unknown",
      rule: "proof",
      because: `the value of $${name} is only known at run time${secret ? ", and its name is that of a secret" : ""}`,
      fragment: `$${name}`,
    });
  }
  return plain(UNKNOWN);
}

function environmentValue(name: string, { exam, state }: Place): string | undefined {
  if (name === "HOME") return exam.policy.policy.home;
  if (name === "PWD") return state.cwd;
  return name === "IFS" ? " " : undefined;
}
