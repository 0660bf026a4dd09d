import { basename, dirname, join, resolve } from "node:path";
import { judgeByFloors } from "../../guard/judge/judge-access.ts";
import { realMachine } from "../../guard/machine/real-machine.ts";
import { isInside } from "../../lib/inside.ts";
import { LINK_MODE, type PatchEntry } from "./patch-entries.ts";

/** A change that the guard would not have allowed an agent to make. */
export interface ProtectedChange {
  readonly path: string;
  readonly because: string;
}

/**
 * The changes in a staged result that violate the guard's floors. In the copy, programs started by the agent could make
 * them.
 */
export function protectedChanges(
  entries: readonly PatchEntry[],
  { root, home }: { readonly root: string; readonly home: string },
): readonly ProtectedChange[] {
  return entries.flatMap((entry) => {
    const because = objection(entry, { root, home, entries });
    return because === undefined ? [] : [{ path: entry.path, because }];
  });
}

interface Surroundings {
  readonly root: string;
  readonly home: string;
  readonly entries: readonly PatchEntry[];
}

function objection(entry: PatchEntry, { root, home, entries }: Surroundings): string | undefined {
  const { path, kind, oldMode, target } = entry;
  const file = join(root, path);
  // The path itself is replaced, so a link there is not followed.
  const readLink = (at: string) => (at === file ? undefined : realMachine.readLink(at));
  const place = { root, home, readLink };
  const [denied] = judgeByFloors({ access: kind === "deleted" ? "delete" : "write", path: file }, place);
  if (denied !== undefined) return denied.because;
  if (basename(path).toLowerCase() === ".gitattributes") return "it can make git run filters and merge drivers";
  if (target === undefined) return undefined;
  const led = resolve(dirname(file), target);
  if (!isInside(led, root)) return `it is a link out of the workspace, to ${target}`;
  // Whatever is done to the link is done to its target.
  const [behind] = judgeByFloors({ access: "delete", path: led }, { ...place, readLink: realMachine.readLink });
  if (behind !== undefined) return `it is a link to ${target}: ${behind.because}`;
  if (oldMode !== LINK_MODE && kind === "changed") return `a link to ${target} replaces a file`;
  if (entries.some((other) => other.kind === "deleted" && other.path.startsWith(`${path}/`)))
    return `a link to ${target} replaces a folder`;
  return undefined;
}
