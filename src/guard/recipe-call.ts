import type { AgentCall } from "../contract/agent-call.ts";
import type { Machine } from "../contract/machine.ts";
import type { Policy } from "../contract/policy.ts";
import { shQuote } from "../lib/sh-quote.ts";
import { isBelow, realPath } from "../lib/real-path.ts";
import { splitWords } from "../lib/split-words.ts";
import { OWN_RECIPES, RUN_RECIPES } from "./rules/recipe-rules.ts";

/** Characters with which a shell does more than run one program. Quoted ones are removed first. */
const SHELL = /[;&|<>()`$\n\r\\*?[\]{}~#!^%]/;
const QUOTED = /'[^']*'|"[^"$`\\!]*"/g;
const VALUE = /^[A-Za-z0-9_.-]{1,128}=(?!file:)/;

const FLAGS: Readonly<Record<string, RegExp | undefined>> = {
  "-c": VALUE,
  "--context": VALUE,
  "-f": /^(?:table|json|yaml)$/,
  "--format": /^(?:table|json|yaml)$/,
  "--include-tags": /^[\w,-]+$/,
  "--exclude-tags": /^[\w,-]+$/,
  "--step-timeout": /^\d+$/,
};
const SWITCHES = ["--json", "--dry-run", "--no-auto-stage"];

/**
 * The words after `signalbox recipe run` of a call that only names a recipe and gives it values. Undefined for every
 * other command: a path, another folder, a file as a value, approvals, and anything besides the one call.
 */
export function plainRecipeRun(source: string): readonly string[] | undefined {
  const bare = source.replaceAll(QUOTED, "");
  if (!bare.startsWith("signalbox recipe run ") || SHELL.test(bare)) return undefined;
  const [, , , name = "", ...rest] = splitWords(source.trim()) ?? [];
  if (!/^[A-Za-z0-9][\w-]{0,127}$/.test(name)) return undefined;
  for (let index = 0; index < rest.length; index++) {
    const word = rest[index] ?? "";
    if (SWITCHES.includes(word)) continue;
    const value = Object.hasOwn(FLAGS, word) ? FLAGS[word] : undefined;
    if (value?.test(rest[++index] ?? "") !== true) return undefined;
  }
  return [name, ...rest];
}

/** What the judge knows about the session. */
interface SessionFacts extends Pick<Machine, "readLink" | "kind"> {
  readonly contained?: readonly unknown[] | undefined;
  readonly tainted?: boolean | undefined;
}

/**
 * The policy for a call of a recipe: for a plain one in a contained session, the preset's question does not count. Not
 * after untrusted text, and not in a folder for which other rules hold than for the session.
 */
export function recipePolicy(
  call: AgentCall,
  source: string,
  place: { policy: Policy; machine: SessionFacts },
): Policy {
  const { policy, machine } = place;
  const isContained = (machine.contained ?? []).length > 0 && machine.tainted !== true;
  const isAllowed = policy.rules.some(({ id, verdict }) => id === RUN_RECIPES && verdict === "allow");
  if (!isContained || !isAllowed || plainRecipeRun(source) === undefined || !isInWorkspace(call.cwd, place))
    return policy;
  return { ...policy, rules: policy.rules.filter(({ id, source: from }) => id !== OWN_RECIPES || from !== "preset") };
}

/** Whether a recipe in this folder would have the same workspace, and so the same policy files. */
function isInWorkspace(
  cwd: string | undefined,
  { policy, machine }: { readonly policy: Policy; readonly machine: SessionFacts },
): boolean {
  if (cwd === undefined) return false;
  const root = realPath(policy.workspaceRoot, "/", machine.readLink);
  let folder = realPath(cwd, "/", machine.readLink);
  if (!isBelow(folder, root)) return false;
  for (; folder !== root && folder.length > root.length; folder = folder.slice(0, folder.lastIndexOf("/")))
    if ([".git", ".signalbox/policy.yaml"].some((name) => machine.kind?.(`${folder}/${name}`) !== undefined))
      return false;
  return true;
}

export interface RecipeStart {
  /** Our own program. */
  readonly program: string;
  /** What binds the recipe to the session. */
  readonly variables: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
}

/** A plain call as it is run: by our own program, bound to its session and folder. Undefined for any other command. */
export function boundRecipeRun(source: string, { program, variables, cwd }: RecipeStart): string | undefined {
  const words = plainRecipeRun(source);
  if (words === undefined || cwd === undefined) return undefined;
  const bound = Object.entries(variables).map(([name, value]) => `${name}=${shQuote(value)}`);
  return [...bound, ...[program, "recipe", "run", ...words, "-w", cwd].map(shQuote)].join(" ");
}
