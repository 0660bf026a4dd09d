import type { GuardFinding } from "../../contract/verdict.ts";
import { mayBeBoth, type NameToken, type PathGlob, tokens } from "../../lib/path/glob.ts";
import { fold, lexicalPath } from "../../lib/path/real-path.ts";
import { DIGITS } from "../../shell/model/word.ts";
import { FLOOR_DENY_WRITE } from "../rules/floors.ts";
import type { PathPlace, PathUse } from "./judge-path.ts";

/** Asks if unknown digits in a path could make it a protected one, such as `id_ed` followed by 25519. */
export function judgeDigits(use: PathUse, { policy, cwd, otherCwds }: PathPlace): readonly GuardFinding[] {
  const lists = use.access === "read" ? policy.denyRead : policy.denyWrite;
  const home = policy.policy.home + use.path.slice(1);
  const path = use.path.startsWith("~/") ? home : use.path;
  const spellings = [cwd, ...otherCwds].map((folder) => fold(lexicalPath(path, folder)).split("/").slice(1));
  const aimed = lists
    .flatMap(({ name, globs }) => globs.map((glob) => ({ name, glob })))
    .find(({ glob }) => !glob.lifts && spellings.some((segments) => canMatch(glob.segments, segments)));
  return aimed === undefined
    ? []
    : [
        {
          verdict: "ask",
          code: `path-denied-${use.access}`,
          rule: aimed.name,
          because: `depending on digits known only at run time, the path may be ${aimed.glob.source}`,
          fragment: use.path.replaceAll(DIGITS, "…"),
        },
      ];
}

function canMatch(pattern: PathGlob["segments"], path: readonly string[]): boolean {
  const [wanted, ...laterPattern] = pattern;
  if (wanted === undefined) return true;
  if (wanted === "**") return path.some((_, index) => canMatch(laterPattern, path.slice(index)));
  const [segment, ...laterPath] = path;
  return segment !== undefined && overlaps(wanted, segment) && canMatch(laterPattern, laterPath);
}

const DIGIT: NameToken = { kind: "one", test: (character) => /[0-9a-f]/.test(character), sample: undefined };

/** True if some name matches both a pattern and a name with gaps that any digits can fill. */
function overlaps(wanted: string, segment: string): boolean {
  const pattern = tokens(wanted);
  const name = tokens(segment).map((token) =>
    token.kind === "one" && token.sample === DIGITS ? ("digits" as const) : token,
  );
  const seen = new Set<number>();
  const waiting = [0];
  // A state is the number of tokens consumed from each side.
  const visit = (used: number, read: number) => {
    const state = used * (name.length + 1) + read;
    if (!seen.has(state)) waiting.push(state);
    seen.add(state);
  };
  for (let state = waiting.pop(); state !== undefined; state = waiting.pop()) {
    const [used, read] = [Math.floor(state / (name.length + 1)), state % (name.length + 1)];
    const [one, other] = [pattern[used], name[read]];
    if (one === undefined && other === undefined) return true;
    const [skipsOne, skipsOther] = [one?.kind === "many", other === "digits" || other?.kind === "many"];
    if (skipsOne) visit(used + 1, read);
    if (skipsOther) visit(used, read + 1);
    if (one === undefined || other === undefined) continue;
    if (mayBeBoth([one], [other === "digits" ? DIGIT : other]))
      visit(skipsOne ? used : used + 1, skipsOther ? read : read + 1);
  }
  return false;
}

/** Workspace folders that contain protected files, and the workspace itself. */
const HOLDERS = new Set(
  FLOOR_DENY_WRITE.filter((glob) => /^\.[\w-]/.test(glob)).flatMap((glob) => {
    const parts = glob.split("/").filter((part) => !part.includes("*"));
    return parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join("/"));
  }),
);

/**
 * True for a path, as written, of a folder that may contain protected files, such as the workspace root or `.github`.
 */
export function holdsProtected(path: string): boolean {
  const parts: string[] = [];
  for (const part of path.toLowerCase().split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  }
  if (parts.length === 0) return true;
  return parts.some((_, index) => HOLDERS.has(parts.slice(index).join("/")));
}
