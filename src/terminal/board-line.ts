import type { BoardEntry, BoardState } from "../contract/board-entry.ts";
import { shortLine } from "../lib/text/printable.ts";
import type { Style, TextPaint } from "./style.ts";

const MARKS: Readonly<Record<BoardState, string>> = {
  "needs you": "!",
  failed: "x",
  denied: "x",
  stalled: "?",
  "claimed done": "-",
  unknown: "?",
  running: "*",
  verified: "+",
  interrupted: "x",
};

interface LineParts {
  readonly now: number;
  readonly width: number;
  readonly style: Style;
}

/** The columns before the text. */
const START = 49;

/** One entry as one line. Safe to print. */
export function boardLine(entry: BoardEntry, { now, width, style }: LineParts): string {
  const { state, source, since, agent, folder, why, task, isLive } = entry;
  const paint = paintOf(state, isLive, style);
  const place = folder.split("/").at(-1) ?? "";
  const start = [
    paint(`${MARKS[state]} ${state.padEnd(12)}`),
    style.dim(source.padEnd(8)),
    ageText(now - since).padStart(4),
    padded(agent, 7),
    padded(place, 10),
  ].join(" ");
  const about = isLive || task === "" ? why : `${task} (${why})`;
  return `${start} ${shortLine(about, Math.max(10, width - START))}`;
}

const padded = (text: string, width: number) => shortLine(text, width).padEnd(width);

function paintOf(state: BoardState, isLive: boolean, style: Style): TextPaint {
  switch (state) {
    case "needs you":
      return (text) => style.bold(style.yellow(text));
    case "failed":
    case "denied":
      return style.red;
    case "stalled":
    case "unknown":
      return style.yellow;
    case "verified":
      return style.green;
    default:
      return isLive ? style.cyan : style.dim;
  }
}

/** A duration in at most four characters. */
function ageText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.min(999, Math.floor(seconds / 86_400))}d`;
}
