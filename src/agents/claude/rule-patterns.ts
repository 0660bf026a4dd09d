import { join } from "node:path";
import type { OwnPattern } from "../../contract/own-rules.ts";

interface Bases {
  readonly cwd: string;
  /** Folders that `/x` in a rule may start from. */
  readonly anchors: readonly string[];
}

const SHELL_TOOLS = ["Bash", "PowerShell", "Monitor"];
const READ_TOOLS = ["Read", "Grep", "Glob", "LS"];
const WRITE_TOOLS = ["Edit", "Write", "MultiEdit", "NotebookEdit"];

/** Claude Code can match a field of the input instead of the command. */
const FIELD = /^(?:command|description|timeout|run_in_background|dangerouslyDisableSandbox):(?!\*$)/;

/**
 * What one of Claude Code's rules matches in a command. Empty for rules about other tools, whose calls Claude Code itself
 * still judges; undefined for a rule that we cannot read.
 */
export function claudePatterns(rule: string, bases: Bases): readonly OwnPattern[] | undefined {
  if (rule === "*") return [{ kind: "any" }];
  const [, tool = "", spec] = /^\s*([\w*.-]+)\s*(?:\(([\s\S]*)\)\s*)?$/.exec(rule) ?? [];
  if (tool === "") return undefined;
  if (SHELL_TOOLS.includes(tool)) return commandPatterns(spec?.trim() ?? "*");
  // Claude Code also holds rules about files against commands such as `cat`. Without a path they only name the tool.
  if (spec === undefined || spec.startsWith("!")) return [];
  if (READ_TOOLS.includes(tool)) return [{ kind: "path", access: "read", globs: pathGlobs(spec.trim(), bases) }];
  if (WRITE_TOOLS.includes(tool)) return [{ kind: "path", access: "write", globs: pathGlobs(spec.trim(), bases) }];
  return /[*]/.test(tool) && !tool.startsWith("mcp__") ? undefined : [];
}

function commandPatterns(spec: string): readonly OwnPattern[] | undefined {
  if (spec === "" || spec === "*" || spec === ":*") return [{ kind: "any" }];
  if (FIELD.test(spec)) return undefined;
  const text = spec.replace(/:\*$/, " *");
  const prefix = text.endsWith(" *") ? text.slice(0, -2).trim() : undefined;
  const words = prefix?.split(/\s+/) ?? [];
  // The words of a prefix are also found behind options, as in `git -C x push`.
  const plain = words.length > 0 && words.every((word) => /^[\w./@:+=,-]+$/.test(word) && !word.startsWith("-"));
  return [{ kind: "text", text }, ...(plain ? [{ kind: "words" as const, words }] : [])];
}

/** Paths as in a `.gitignore`: `//x` is absolute, `/x` starts at the settings, `./x` and `a/b` at the start folder. */
function pathGlobs(spec: string, { cwd, anchors }: Bases): readonly string[] {
  const path = spec.replace(/(?<=.)\/$/, "");
  if (path.startsWith("//")) return [path.slice(1)];
  if (path.startsWith("/")) return anchors.map((anchor) => join(anchor, path));
  if (path === "~" || path.startsWith("~/") || path.startsWith("**")) return [path];
  const relative = path.replace(/^\.\//, "");
  return relative.includes("/") || path.startsWith("./") ? [join(cwd, relative)] : [`**/${relative}`];
}
