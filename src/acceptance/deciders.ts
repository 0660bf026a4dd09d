import { posix } from "node:path";
import { compileGlob, covers } from "../lib/glob.ts";
import { fold } from "../lib/fold-path.ts";
import { hiddenModule, type Role, roleByName } from "./deciding-names.ts";

interface Deciding {
  readonly root: string;
  readonly keep: readonly string[];
  readonly scripts: readonly string[];
  readonly programs: readonly string[];
  readonly modules: readonly string[];
}

/** Tells why a file decides the check, if it does. */
export function deciders({ root, keep, scripts, programs, modules }: Deciding): (path: string) => Role | undefined {
  const isKept = pathMatcher(keep, root);
  const named = new Set(scripts);
  const isPython =
    modules.length > 0 || programs.some((program) => /^(?:python|pytest|py\.test|tox|nox|nose)/.test(program));
  const shadows = new Set(modules.flatMap((name) => [`${name}.py`, `${name}/__init__.py`, `${name}/__main__.py`]));
  return (path) => {
    if (named.has(path)) return "script";
    if (isKept(path)) return "keep";
    const role = roleByName(path);
    if (role !== undefined && role !== "test") return role;
    if (isPython && (shadows.has(path) || isTopModule(path))) return "shadow";
    return role;
  };
}

/** A file or package directly in the workspace, where Python looks first. */
const isTopModule = (path: string) =>
  posix
    .dirname(path)
    .split("/")
    .filter((name) => name !== ".").length <= 1 && hiddenModule(path) !== undefined;

/** Whether one of the patterns covers a path of the workspace. */
export function pathMatcher(patterns: readonly string[], root: string): (path: string) => boolean {
  const globs = patterns.map((pattern) => compileGlob(pattern, { root, home: root }));
  return (path) => globs.some((glob) => covers(glob, fold(`${root === "/" ? "" : root}/${path}`)));
}
