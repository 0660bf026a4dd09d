import { realPath } from "../../lib/real-path.ts";
import { doubt, type Effect, question } from "../model/effect.ts";
import type { Arguments } from "./options.ts";
import { UNKNOWN, type Word } from "../model/word.ts";
import { revisionEffects } from "./git-paths.ts";

const LOSES = question("git-overwrites", "overwrites uncommitted changes in the working tree");

/** Paths that git restores from a revision or the index are written. */
export function pathEffects(given: Arguments, from: string): readonly Effect[] {
  const foreign = given.options.some(({ name }) => from.split(" ").includes(name));
  const paths = revisionEffects(given).flatMap((effect): readonly Effect[] =>
    effect.kind === "read" || effect.kind === "guess" ? [effect, { kind: "write", word: effect.word }] : [effect],
  );
  const trees = given.operands.length > (foreign ? 0 : 1) ? given.operands.map(({ text }) => text) : [];
  return [
    { kind: "repository" },
    ...paths,
    {
      kind: "if-protected",
      paths: trees,
      effects: [doubt("git-restores", "checks out a whole tree from another revision, including its settings")],
      otherwise: [],
    },
  ];
}

/** `git restore` leaves files alone only if told to change just the index. */
export function restoreEffects(given: Arguments): readonly Effect[] {
  const has = (...names: readonly string[]) => given.options.some(({ name }) => names.includes(name));
  const indexOnly = has("--staged", "-S") && !has("--worktree", "-W");
  return [...pathEffects(given, "--source -s"), ...(indexOnly ? [] : [LOSES])];
}

/**
 * `--skip` drops a commit. Git also accepts abbreviated options. `--abort` returns to the earlier commits, which is the
 * ordinary way out of a merge with conflicts.
 */
export function givenUp(given: Arguments, words: readonly Word[]): readonly Effect[] {
  const over = words.some(({ text }) => /^--(?:sk|ski|skip)$/.test(text));
  return [
    { kind: "repository" },
    ...revisionEffects(given),
    ...(over ? [question("throws-away", "skips a commit and discards its resolved conflicts")] : []),
  ];
}

/**
 * A rewrite keeps the old commits in the reflog. Ending one early keeps nothing of what was changed meanwhile; a word
 * that is not a known option may be a short form of one that does.
 */
export function rebaseEffects(given: Arguments): readonly Effect[] {
  const has = (...names: readonly string[]) => given.options.some(({ name }) => names.includes(name));
  const ends = has("--abort", "--skip", "--quit", "--edit-todo") || given.strange.length > 0;
  const goesOn = has("--continue", "--show-current-patch");
  const doubts = ends
    ? [question("throws-away", "aborts or skips a rewrite of commits, with what was changed meanwhile")]
    : goesOn
      ? []
      : [question("git-rewrites", "rewrites commits")];
  return [{ kind: "repository" }, ...revisionEffects(given), ...doubts];
}

/** `git clean` removes what git ignores only with `-x` or `-X`, and other repositories only with a second `-f`. */
export function cleanEffects({ options, strange }: Arguments): readonly Effect[] {
  const names = options.map(({ name }) => name);
  if (names.includes("-n") || names.includes("--dry-run")) return [];
  const forced = names.filter((name) => name === "-f" || name === "--force").length;
  const usual =
    forced < 2 && strange.length === 0 && !names.some((name) => ["-x", "-X", "-e", "--exclude"].includes(name));
  const code = usual ? "git-overwrites" : "throws-away";
  return [{ kind: "repository" }, question(code, "removes files that are not in any commit")];
}

/** `git checkout` takes a branch or paths; it overwrites paths. */
export function checkoutEffects(given: Arguments, words: readonly Word[]): readonly Effect[] {
  const has = (...names: readonly string[]) => given.options.some(({ name }) => names.includes(name));
  const creates = has("-b", "-B", "--orphan");
  const dashes = words.some(({ text }) => text === "--");
  const [first] = given.operands;
  const paths =
    has("-p", "--patch", "--ours", "--theirs", "-2", "-3") ||
    (dashes && words.at(-1)?.text !== "--") ||
    (!creates && given.operands.length > 1) ||
    (first !== undefined && /^[.:]|^\/|[*?[]/.test(first.text));
  const alone = !creates && first !== undefined && !paths ? [overwrites(first)] : [];
  return [...pathEffects(given, ""), ...(paths ? [LOSES] : alone)];
}

/** A single word is a path if that file exists, or if the disk is not known and it looks like one. */
function overwrites({ text }: Word): Effect {
  return {
    kind: "check",
    objection: ({ cwd, machine }) => {
      if (text.includes(UNKNOWN)) return LOSES;
      const there =
        machine.kind === undefined
          ? /\.(?!\d|x$)\w{1,5}$/.test(text)
          : machine.kind(realPath(text, cwd, machine.readLink)) !== undefined;
      return there ? LOSES : undefined;
    },
  };
}
