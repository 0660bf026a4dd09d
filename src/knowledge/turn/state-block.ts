import { dollars } from "../../lib/dollars.ts";
import { shortLine } from "../../lib/short-line.ts";

/** Where a session stands before a request. Whatever is undefined is unlimited or unknown. */
export interface TurnState {
  /** Open work items, in a line each. */
  readonly openItems: readonly string[];
  readonly turnsLeft?: number | undefined;
  /** In US dollars. */
  readonly costLeft?: number | undefined;
  readonly timeLeftMs?: number | undefined;
  /** Relative to the workspace. */
  readonly changedFiles: readonly string[];
}

const MAX_NAMED = 8;
const MAX_NAME = 80;
/** With what it waits for and what there is of it. */
const MAX_ITEM = 200;

/** The state as one short block for the next request; undefined when there is nothing to say. */
export function stateBlock(state: TurnState): string | undefined {
  const lines = [
    list("Open work items", state.openItems, MAX_ITEM),
    left(state),
    list("Files changed so far", state.changedFiles),
  ].filter((line) => line !== undefined);
  return lines.length === 0 ? undefined : `<state>\n${lines.join("\n")}\n</state>`;
}

function list(title: string, items: readonly string[], most = MAX_NAME): string | undefined {
  if (items.length === 0) return undefined;
  const named = items.slice(0, MAX_NAMED).map((item) => shortLine(item.replaceAll("<", "‹"), most));
  const more = items.length > MAX_NAMED ? `; and ${items.length - MAX_NAMED} more` : "";
  return `${title} (${items.length}): ${named.join("; ")}${more}`;
}

function left({ turnsLeft, costLeft, timeLeftMs }: TurnState): string | undefined {
  const parts = [
    amount(turnsLeft, (turns) => `${Math.floor(turns)} ${Math.floor(turns) === 1 ? "turn" : "turns"}`),
    amount(costLeft, dollars),
    amount(timeLeftMs, duration),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : `Left: ${parts.join(", ")}`;
}

/** A clock that jumps may give a negative or impossible number. */
const amount = (value: number | undefined, show: (value: number) => string) =>
  value === undefined || !Number.isFinite(value) ? undefined : show(Math.max(0, value));

function duration(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  return seconds < 120 ? `${seconds} s` : `${Math.floor(seconds / 60)} min`;
}
