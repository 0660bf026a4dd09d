import { realPath } from "../../lib/path/real-path.ts";
import { doubt, type Effect, question } from "../model/effect.ts";
import { UNKNOWN, type Word } from "../model/word.ts";
import type { Arguments } from "./options.ts";

const LOSES = question("git-overwrites", "overwrites uncommitted changes in the working tree");

/** Paths that git restores from a revision or the index are written. */
function pathEffects(given: Arguments, trees: readonly Word[]): readonly Effect[] {
  return [
    { kind: "repository" },
    ...revisionEffects(given).flatMap((effect): readonly Effect[] =>
      effect.kind === "read" || effect.kind === "guess" ? [effect, { ...effect, kind: "write" }] : [effect],
    ),
    wholeTrees(trees, "checks out a whole tree from another revision, including its settings"),
  ];
}

/** Asks about folders that may contain protected files, whatever is known of the repository. */
const wholeTrees = (trees: readonly Word[], because: string): Effect => ({
  kind: "if-protected",
  paths: trees.map(({ text }) => text),
  effects: [doubt("git-restores", because)],
  otherwise: [],
});

/** `git restore` leaves files alone only if told to change just the index. */
export function restoreEffects(given: Arguments): readonly Effect[] {
  const has = (...names: readonly string[]) => given.options.some(({ name }) => names.includes(name));
  const tree = given.options.find(({ name }) => name === "-s" || name === "--source")?.value?.text;
  const effects = pathEffects(given, tree === undefined ? [] : given.operands);
  if (has("--staged", "-S") && !has("--worktree", "-W")) return effects;
  return [...effects, LOSES, { kind: "git-paths", paths: given.operands, ...(tree === undefined ? {} : { tree }) }];
}

/** `git rm` removes tracked files, and those of folders. */
export function removalEffects(given: Arguments): readonly Effect[] {
  const { operands, options } = given;
  if (options.some(({ name }) => name === "--cached")) return [{ kind: "repository" }];
  return [
    ...pathEffects(given, []),
    wholeTrees(operands, "removes a whole tree, including its settings"),
    ...(operands.length === 0 ? [] : [{ kind: "git-paths", paths: operands, removes: true } as const]),
  ];
}

/** `git reset` with paths only changes the index, but with those of another revision the next commit has them. */
export function resetEffects(given: Arguments): readonly Effect[] {
  const [tree, ...paths] = given.operands;
  if (paths.length === 0 || /^(?:HEAD|@)$/.test(tree?.text ?? ""))
    return [{ kind: "repository" }, ...revisionEffects(given)];
  return pathEffects({ ...given, operands: paths }, paths);
}

const KEEPS_FILES = /^(?:list|show|drop|clear|create|store|export|import|pop|apply|branch)$/;

/** `git stash` takes changed files back to the last commit. What a stash brings back is in git-revisions.ts. */
export function stashEffects({ operands, options }: Arguments): readonly Effect[] {
  const [first] = operands;
  const verb = first?.text ?? "push";
  if (verb === "list" || verb === "show") return [];
  if (KEEPS_FILES.test(verb)) return [{ kind: "repository" }];
  const paths = verb === "save" ? [] : operands.slice(verb === "push" ? 1 : 0);
  const has = (...names: readonly string[]) => options.some(({ name }) => names.includes(name));
  const others = has("-a", "--all") ? "ignored" : has("-u", "--include-untracked") ? "untracked" : undefined;
  const written = revisionEffects({ operands: paths, options: [], strange: [], unsure: [] });
  return [
    { kind: "repository" },
    ...written.flatMap((effect): readonly Effect[] => (effect.kind === "read" ? [{ ...effect, kind: "write" }] : [])),
    wholeTrees(paths, "takes a whole tree back to the last commit, including its settings"),
    { kind: "git-paths", paths, tree: "HEAD", ...(others === undefined ? {} : { others }) },
  ];
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
export function cleanEffects({ operands, options, strange }: Arguments): readonly Effect[] {
  const names = options.map(({ name }) => name);
  if (names.includes("-n") || names.includes("--dry-run")) return [];
  const forced = names.filter((name) => name === "-f" || name === "--force").length;
  const usual =
    forced < 2 && strange.length === 0 && !names.some((name) => ["-x", "-X", "-e", "--exclude"].includes(name));
  const code = usual ? "git-overwrites" : "throws-away";
  return [
    { kind: "repository" },
    ...operands.map((folder): Effect => ({ kind: "write", word: folder })),
    question(code, "removes files that are not in any commit"),
  ];
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
  const trees = given.operands.length > 1 ? given.operands : [];
  const tree = trees[0]?.text;
  const named: Effect = { kind: "git-paths", paths: given.operands, ...(tree === undefined ? {} : { tree }) };
  const alone = !creates && first !== undefined && !paths ? [ifPath(first, LOSES), ifPath(first, named)] : [];
  return [...pathEffects(given, trees), ...(paths ? [LOSES, named] : alone)];
}

/** A single word is a path if that file exists, or if the disk is not known and it looks like one. */
function ifPath({ text }: Word, effect: Effect): Effect {
  return {
    kind: "check",
    objection: ({ cwd, machine }) => {
      if (text.includes(UNKNOWN)) return effect;
      const there =
        machine.kind === undefined
          ? /\.(?!\d|x$)\w{1,5}$/.test(text)
          : machine.kind(realPath(text, cwd, machine.readLink)) !== undefined;
      return there ? effect : undefined;
    },
  };
}

/**
 * The path in a git operand: `.env`, `HEAD:.env`, `:0:.env`, `:(top).env`, `*env`. Undefined for an exclusion or a
 * revision.
 */
export function pathOf(operand: Word): { readonly word: Word; readonly fromTop: boolean } | undefined {
  const { signs, stage, rest } = prefixOf(operand.text);
  if (/\bexclude\b|[!^]/.test(signs)) return undefined;
  const colon = operand.text.startsWith(":") ? -1 : rest.indexOf(":");
  const path = rest.slice(colon + 1);
  if (path === "" || isRevision(path)) return undefined;
  const fromTop = colon !== -1 || stage || /\btop\b|\//.test(signs);
  return { word: asPattern({ ...operand, text: path }), fromTop };
}

/** The prefix of a pathspec: `:(top,icase)`, `:/`, `:!`, or an index stage such as `:0:`. */
function prefixOf(text: string): { readonly signs: string; readonly stage: boolean; readonly rest: string } {
  const [whole = "", magic = "", short = "", stage] = /^:(?:\(([^)]*)\)|([!^/]*)(?:([0-3]):)?)/.exec(text) ?? [];
  return { signs: magic + short, stage: stage !== undefined, rest: text.slice(whole.length) };
}

function isRevision(text: string): boolean {
  return /[~^]\d*$|\.\.|@\{/.test(text) && !/^\.\.?(?:\/|$)/.test(text) && !text.includes("/../");
}

/** Git expands wildcards itself, even in quotes. */
function asPattern(path: Word): Word {
  return /[*?[]/.test(path.text) ? { ...path, glob: true, dots: true } : path;
}

/** Operands and `-L` ranges that name files count as read. Unknown words must not become options. */
export function revisionEffects({ operands, options }: Arguments): readonly Effect[] {
  const ranges = options.flatMap(({ name, value }): readonly Word[] =>
    name === "-L" && value?.text.includes(":") === true
      ? [{ ...value, text: value.text.slice(value.text.lastIndexOf(":") + 1) }]
      : [],
  );
  return [...operands, ...ranges].flatMap((operand): readonly Effect[] => {
    if (operand.text.startsWith(UNKNOWN))
      return [doubt("operand-unknown", "a word that may be an option is only known at run time")];
    const found = pathOf(operand);
    if (found === undefined) return [];
    const read = { kind: "read", word: found.word } as const;
    // `HEAD:path` is relative to the repository root, wherever the command runs.
    return found.fromTop ? [read, { ...read, fromTop: true }] : [read];
  });
}
