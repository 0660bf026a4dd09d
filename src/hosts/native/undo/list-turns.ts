import { printableLine } from "../../../lib/printable.ts";
import { shortLine } from "../../../lib/short-line.ts";
import { openTurnLog } from "../../../sessions/turns.ts";
import { turnChanges } from "../../../snapshots/plan-undo.ts";
import { savedTurns } from "../../../snapshots/turn-states.ts";
import type { UndoPlace } from "./plan-turns.ts";

/** One turn of a session that could be taken back. */
export interface ListedTurn {
  readonly number: number;
  readonly prompt: string;
  readonly files: readonly { readonly path: string; readonly change: "added" | "changed" | "deleted" }[];
  /** Why its files cannot be taken back. */
  readonly because?: string;
}

type Listing = Pick<UndoPlace, "home" | "id" | "records">;

/** The turns of a session, oldest first, with the files that each has changed. */
export async function readTurns({ home, id, records }: Listing): Promise<readonly ListedTurn[]> {
  const saved = savedTurns(home, id);
  const listed: ListedTurn[] = [];
  for (const [index, { id: turn, text, saved: state, wrote }] of openTurnLog(records).turns.entries()) {
    const found = saved.filter((each) => each.state.turn === turn);
    const files = new Map<string, "added" | "changed" | "deleted">();
    for (const each of found)
      for (const [path, { before, after }] of (await turnChanges(each)).files)
        files.set(path, before === null ? "added" : after === null ? "deleted" : "changed");
    const isMissing = found.length === 0 && (state !== undefined || wrote.size > 0);
    const because = state !== undefined && "because" in state ? state.because : "its snapshot is gone";
    listed.push({
      number: index + 1,
      prompt: text,
      files: [...files].map(([path, change]) => ({ path, change })),
      ...(isMissing ? { because } : {}),
    });
  }
  return listed;
}

const MAX_FILES = 8;

/** The same as text. */
export async function listTurns(place: Listing): Promise<string> {
  const turns = await readTurns(place);
  if (turns.length === 0) return "there is no turn to undo\n";
  return turns
    .flatMap(turnText)
    .map((line) => `${printableLine(line)}\n`)
    .join("");
}

function turnText({ number, prompt, files, because }: ListedTurn): readonly string[] {
  const shown = files.slice(0, MAX_FILES).map(({ path, change }) => `     ${change.padEnd(8)} ${path}`);
  const more = files.length - shown.length;
  return [
    `${String(number).padStart(3)}  ${shortLine(prompt.trim().split("\n")[0] ?? "", 70)}`,
    ...shown,
    ...(more > 0 ? [`     and ${more} more`] : []),
    ...(because === undefined ? [] : [`     cannot be undone: ${because}`]),
  ];
}
