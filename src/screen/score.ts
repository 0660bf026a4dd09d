import type { Signal } from "./finding.ts";

interface Score {
  readonly score: number;
  /** The signals worth reporting, with the strongest reading of each place, in order. */
  readonly counted: readonly Signal[];
}

/** Nearby signals of different kinds add up; repeated signals of one kind do not. */
export function scoreOf(signals: readonly Signal[]): Score {
  const scoringSignals = signals.filter((signal) => signal.points >= 1).toSorted((a, b) => a.start - b.start);
  let score = 0;
  let first = 0;
  for (let index = 0; index < scoringSignals.length; index++) {
    while (
      (scoringSignals[index]?.start ?? 0) - (scoringSignals[first]?.start ?? 0) > NEIGHBOURHOOD ||
      index - first > CROWD
    )
      first++;
    score = Math.max(score, together(scoringSignals.slice(first, index + 1)));
  }
  return { score, counted: strongest(scoringSignals) };
}

const NEIGHBOURHOOD = 600;
const CROWD = 40;
const MAX_REPORTED = 50;

/** The strongest kind counts in full, each other kind by a third. */
function together(signals: readonly Signal[]): number {
  const best = new Map<string, number>();
  for (const { kind, points } of signals) best.set(kind, Math.max(points, best.get(kind) ?? 0));
  const points = [...best.values()].toSorted((a, b) => b - a);
  return points.reduce((sum, value, index) => sum + (index === 0 ? value : value / 3), 0);
}

function strongest(signals: readonly Signal[]): Signal[] {
  const result: Signal[] = [];
  for (const signal of signals) {
    const rival = result.findLastIndex((other) => other.kind === signal.kind && other.end > signal.start);
    const other = result[rival];
    if (!other) result.push(signal);
    else if (signal.points > other.points) result[rival] = signal;
    if (result.length > MAX_REPORTED * 4) break;
  }
  if (result.length <= MAX_REPORTED) return result;
  const weakest = result.map((signal) => signal.points).toSorted((a, b) => b - a)[MAX_REPORTED - 1] ?? 0;
  return result.filter((signal) => signal.points >= weakest).slice(0, MAX_REPORTED);
}
