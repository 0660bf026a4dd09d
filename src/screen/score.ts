import type { Signal } from "./finding.ts";

interface Score {
  readonly score: number;
  /** The signals worth reporting, with the strongest reading of each place, in order. */
  readonly counted: readonly Signal[];
}

/** Nearby signals of different kinds add up; repeated signals of one kind do not. */
export function scoreOf(signals: readonly Signal[]): Score {
  const telling = signals.filter((signal) => signal.points >= 1).toSorted((a, b) => a.start - b.start);
  let score = 0;
  let first = 0;
  for (let index = 0; index < telling.length; index++) {
    while ((telling[index]?.start ?? 0) - (telling[first]?.start ?? 0) > NEIGHBOURHOOD || index - first > CROWD)
      first++;
    score = Math.max(score, together(telling.slice(first, index + 1)));
  }
  return { score, counted: strongest(telling) };
}

const NEIGHBOURHOOD = 600;
const CROWD = 40;
const MAX_TOLD = 50;

/** The strongest kind counts in full, each other kind by a third. */
function together(signals: readonly Signal[]): number {
  const best = new Map<string, number>();
  for (const { kind, points } of signals) best.set(kind, Math.max(points, best.get(kind) ?? 0));
  const points = [...best.values()].toSorted((a, b) => b - a);
  return points.reduce((sum, value, index) => sum + (index === 0 ? value : value / 3), 0);
}

function strongest(signals: readonly Signal[]): Signal[] {
  const kept: Signal[] = [];
  for (const signal of signals) {
    const rival = kept.findLastIndex((other) => other.kind === signal.kind && other.end > signal.start);
    const other = kept[rival];
    if (!other) kept.push(signal);
    else if (signal.points > other.points) kept[rival] = signal;
    if (kept.length > MAX_TOLD * 4) break;
  }
  if (kept.length <= MAX_TOLD) return kept;
  const weakest = kept.map((signal) => signal.points).toSorted((a, b) => b - a)[MAX_TOLD - 1] ?? 0;
  return kept.filter((signal) => signal.points >= weakest).slice(0, MAX_TOLD);
}
