import type { FileMove, PathReason } from "../../../snapshots/file-moves.ts";

interface Told {
  readonly direction: "undo" | "redo";
  readonly moves: readonly FileMove[];
  readonly kept: readonly PathReason[];
}

const MAX_NAMED = 20;

/** What the model is told with the next prompt, so that it does not take its old edits for granted. */
export function undoNote({ direction, moves, kept }: Told): string {
  const files = list(moves.map(({ path }) => path));
  const first =
    direction === "undo"
      ? `The user has taken back what you did after this point. ${files === "" ? "No file was changed by that." : `These files are again as they were before it: ${files}.`}`
      : `The user has taken back an undo. ${files === "" ? "No file was changed by that." : `These files are again as you left them: ${files}.`}`;
  const named = list(kept.map(({ path }) => path));
  const rest = named === "" ? "" : ` These have changes of the user and were left as they are: ${named}.`;
  return `${first}${rest} Read a file again before you rely on what is in it.`;
}

export const INTERRUPTED_NOTE =
  "The user began to take back files that you had changed, and that was interrupted. Some of them may be as they were before. Read a file again before you rely on what is in it.";

function list(paths: readonly string[]): string {
  const named = paths.slice(0, MAX_NAMED).map((path) => JSON.stringify(path));
  const more = paths.length - named.length;
  return [...named, ...(more > 0 ? [`and ${more} more`] : [])].join(", ");
}
