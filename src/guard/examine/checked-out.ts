import { join, relative } from "node:path";
import type { Machine, TrackedFiles } from "../../contract/machine.ts";
import { fold, isBelow, realPath } from "../../lib/path/real-path.ts";
import { nearestRepository } from "../../lib/path/workspace.ts";
import { doubt, type Effect, outside } from "../../shell/model/effect.ts";
import { UNKNOWN, type Word, word } from "../../shell/model/word.ts";
import { deniedBy } from "../rules/ready-policy.ts";
import type { Place } from "./examination.ts";

type ChecksOut = Extract<Effect, { readonly kind: "checks-out" }>;
type GitPaths = Extract<Effect, { readonly kind: "git-paths" }>;

/** A repository in which git changes files. */
interface Scene {
  readonly cwd: string;
  readonly top: string;
  readonly machine: Machine;
  readonly contained: boolean;
  /** Earlier calls of git in the same script. */
  readonly before: readonly string[];
  readonly isProtected: (name: string) => boolean;
}

/**
 * The protected files that git would change although nobody named them. In a sandbox git cannot replace them. It leaves
 * the old ones behind as a change, and the next commit would take it for one, so such a command has to run outside.
 */
export function checkedOut(effect: ChecksOut | GitPaths, place: Place): readonly Effect[] {
  const scene = sceneOf(place);
  if (scene === undefined) return [];
  return effect.kind === "checks-out" ? byRevision(effect, scene) : byPaths(effect, scene);
}

function sceneOf({ exam, state }: Place): Scene | undefined {
  const { machine, inside, policy } = exam;
  if (machine.gitChanges === undefined || state.cwd.includes(UNKNOWN)) return undefined;
  const cwd = realPath(state.cwd, "/", machine.readLink);
  const top = nearestRepository(cwd, machine.kind)?.folder;
  if (top === undefined) return undefined;
  const roots = inside?.roots ?? [realPath(exam.workspaceRoot, "/", machine.readLink)];
  // In a sandbox only the workspace's own repository: an agent may have made another one.
  if (!roots.some((root) => isBelow(root, top) || (inside === undefined && isBelow(top, root)))) return undefined;
  const lists = inside === undefined ? [...policy.denyWrite, policy.askWrite] : policy.denyWrite;
  const isProtected = (name: string) => {
    const path = join(top, name);
    return roots.some((root) => isBelow(path, root)) && lists.some((list) => deniedBy(list, fold(path)) !== undefined);
  };
  return {
    cwd,
    top,
    machine,
    contained: inside !== undefined,
    before: exam.git.uses.slice(0, -1).map(({ command }) => command),
    isProtected,
  };
}

function byRevision({ diffs, unsure }: ChecksOut, scene: Scene): readonly Effect[] {
  for (const words of diffs) {
    const changed = scene.machine.gitChanges?.(scene.cwd, words);
    if (changed !== undefined) return reached(changed.filter(scene.isProtected), scene);
  }
  return unsure !== undefined && mayExist(unsure, scene) ? unknown(scene) : [];
}

function byPaths(effect: GitPaths, scene: Scene): readonly Effect[] {
  const pathspecs = effect.paths.map(({ text }) => text);
  if (pathspecs.some((text) => text.includes(UNKNOWN))) return [];
  const moved = scene.before.some((command) => MOVES.test(command));
  const names = reachedNames(moved ? { ...effect, removes: true } : effect, pathspecs, scene);
  if (names === undefined) return unknown(scene);
  if (scene.contained || pathspecs.every(isEverything)) return reached(names, scene);
  const kind = effect.removes === true ? "delete" : "write";
  return names.slice(0, MAX_NAMED).map((name) => ({ kind, word: word(join(scene.top, name)), keeps: true }));
}

/** The protected files that would change. Undefined when git cannot tell. */
function reachedNames(
  { tree, removes, others }: GitPaths,
  pathspecs: readonly string[],
  { cwd, top, machine, isProtected }: Scene,
): readonly string[] | undefined {
  const list = (more: Omit<TrackedFiles, "pathspecs">) =>
    machine.gitTracked?.(pathspecs.length === 0 ? top : cwd, { pathspecs, ...more })?.filter(isProtected);
  const tracked = (tree === undefined ? undefined : list({ tree })) ?? list({});
  const beside = others === undefined ? [] : list({ others });
  if (tracked === undefined || beside === undefined) return undefined;
  return [...(removes === true ? tracked : (machine.gitAltered?.(top, tracked, tree) ?? tracked)), ...beside];
}

/** The protected files among names that only a list or `*` stands for, where they are written or removed. */
export function listedEffects({ text, lists, glob }: Word, place: Place): readonly Effect[] {
  const { machine, inside } = place.exam;
  if (!(lists !== undefined || (glob && EVERY_NAME.test(text))) || inside !== undefined || text.includes(UNKNOWN))
    return [];
  if (machine.gitTracked === undefined)
    return lists === "tracked" || (lists === "visible" && isHidden(text))
      ? [doubt("git-restores", "changes files from a list, and protected ones may be among them")]
      : [];
  const scene = sceneOf(place);
  if (scene === undefined) return [];
  const tracked = machine.gitTracked(scene.cwd, { pathspecs: [lists === undefined ? `:(glob)${text}` : text] });
  if (tracked === undefined) return unknown(scene);
  const start = text.slice(0, text.lastIndexOf("/") + 1);
  const shown = (name: string) =>
    lists === "tracked" || !isHidden(relative(join(scene.cwd, start), join(scene.top, name)));
  const name = tracked.find((each) => scene.isProtected(each) && shown(each));
  return name === undefined ? [] : [doubt("git-restores", `may change ${name}, which is protected`)];
}

const EVERY_NAME = /(?:^|\/)\*+$/;
const isHidden = (path: string) => /(?:^|\/)\.[^./]/.test(path);

/** What moves HEAD or changes the index alone, so that it takes a later step to bring the work tree there. */
const MOVES =
  /^\S*git (?:[^'"]* )?(?:reset (?!(?:-q|--quiet|--|HEAD)(?: |$))\S|(?:update-ref|symbolic-ref|read-tree|update-index) )/;
const MAX_NAMED = 8;

/** A pathspec for the whole work tree, or one that leaves something out of it. */
const isEverything = (pathspec: string) =>
  /^(?::\/|:\([^)]*\))?(?:\.?\/?|\*+|\.\/\*)$|^:(?:[!^]|\([^)]*exclude)/.test(pathspec);

function reached([name]: readonly string[], { top, contained }: Scene): readonly Effect[] {
  if (name === undefined) return [];
  const shown = relative(top, join(top, name));
  return [
    contained
      ? outside(`the protected file ${shown}`, `needs to change ${shown}, which is protected inside the sandbox`)
      : doubt("git-restores", `would change ${shown}, which is protected`),
  ];
}

/** A revision that is there, though git takes long to compare it, or that an earlier part of the command may make. */
function mayExist(revision: string, { cwd, machine, before }: Scene): boolean {
  if (machine.gitTracked?.(cwd, { pathspecs: ["."], tree: revision }) !== undefined) return true;
  return before.length > 0 && machine.kind?.(realPath(revision, cwd, machine.readLink)) === undefined;
}

/** Git could not tell, or took too long. */
function unknown(scene: Scene): readonly Effect[] {
  if (scene.contained) return [];
  const tracked = scene.machine.gitTracked?.(scene.top, { pathspecs: [] });
  const [name] = tracked === undefined ? ["protected files"] : tracked.filter(scene.isProtected);
  return name === undefined ? [] : [doubt("git-restores", `may change ${name}, which is protected`)];
}
