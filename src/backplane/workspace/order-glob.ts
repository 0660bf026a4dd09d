import { compileGlob, covers, isWild, hasGlobFlaw } from "../../lib/glob.ts";
import { fold } from "../../lib/fold-path.ts";
import { UserError } from "../../lib/user-error.ts";

const MAX_ALTERNATIVES = 64;

/**
 * A path pattern of a work order in the guard's own form, one for each of its `{a,b}`. There a `*` also crosses folders,
 * so `*.log` is every log. A pattern without a meaning is refused: dropping it would open what it closes.
 */
export function readOrderGlob(pattern: string, where: string): string[] {
  const refuse = (because: string) =>
    new UserError(`the pattern ${JSON.stringify(pattern)} ${because}`, {
      where,
      fix: "use *, ?, [a-z], ** and {a,b} only",
    });
  if (pattern.trim() === "" || pattern.includes("\0")) throw refuse("names nothing");
  if (pattern.startsWith("!")) throw refuse("would lift a denial, and an order can only restrict");
  const alternatives = expandAlternatives(pattern);
  if (alternatives === undefined) throw refuse(`has more than ${MAX_ALTERNATIVES} alternatives, or unpaired braces`);
  if (alternatives.some(hasGlobFlaw)) throw refuse("does not compile");
  return alternatives.map(crossFolders);
}

/** `a{b,c}d` as `abd`, `acd`; braces inside braces too. */
function expandAlternatives(pattern: string): string[] | undefined {
  const found = /\{([^{}]*)\}/.exec(pattern);
  if (found === null) return /[{}]/.test(pattern) ? undefined : [pattern];
  const [whole, inside = ""] = found;
  const expanded = inside.split(",").map((each) => pattern.replace(whole, () => each));
  if (expanded.length > MAX_ALTERNATIVES) return undefined;
  const all: string[] = [];
  for (const each of expanded) {
    const inner = expandAlternatives(each);
    if (inner === undefined || all.length + inner.length > MAX_ALTERNATIVES) return undefined;
    all.push(...inner);
  }
  return all;
}

function crossFolders(pattern: string): string {
  return pattern
    .split("/")
    .map((segment) => (isWild(segment) && segment !== "**" ? `**/${segment}` : segment))
    .join("/");
}

/** Says for a path below the workspace whether include and exclude leave it in. Exclude wins; no include means all. */
export function pathFilter(include: readonly string[], exclude: readonly string[]): (path: string) => boolean {
  const compile = (patterns: readonly string[], list: string) =>
    patterns
      .flatMap((pattern) => readOrderGlob(pattern, `workspace.${list}`))
      .map((pattern) => compileGlob(pattern, { root: "/", home: "/" }));
  const [wanted, unwanted] = [compile(include, "include"), compile(exclude, "exclude")];
  return (path) => {
    const folded = fold(`/${path}`);
    return (
      (wanted.length === 0 || wanted.some((glob) => covers(glob, folded))) &&
      !unwanted.some((glob) => covers(glob, folded))
    );
  };
}
