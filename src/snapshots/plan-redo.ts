import type { FileMove, PathReason } from "./file-moves.ts";
import { isUnknown, presentFile } from "./present-file.ts";
import { isSameFile } from "./state-changes.ts";

interface RedoPlan {
  readonly moves: readonly FileMove[];
  readonly kept: readonly PathReason[];
}

/** Plans to take an undo back. A file that somebody has changed since is kept. */
export function planRedo(workspace: string, undone: readonly FileMove[]): RedoPlan {
  const moves: FileMove[] = [];
  const kept: PathReason[] = [];
  for (const { path, from, to } of undone) {
    const present = presentFile(workspace, path, (from ?? to)?.oid.length ?? 40);
    if (isUnknown(present)) kept.push({ path, because: present.because });
    else if (isSameFile(present, to)) moves.push({ path, from: to, to: from });
    else if (!isSameFile(present, from)) kept.push({ path, because: "it was changed after the undo" });
  }
  return { moves, kept };
}
