import { decodeBlobs } from "./blobs.ts";
import type { Finding, Risk, Screening, Signal } from "./finding.ts";
import { BECAUSE } from "./grammar.ts";
import { normalise } from "./normalise.ts";
import { respellings } from "./respell.ts";
import { type Tally, tally } from "./tally.ts";
import { findSmuggled } from "./smuggled.ts";
import { weigh } from "./surroundings.ts";
import { sweep } from "./sweep.ts";
import { originalSpan, type View } from "./view.ts";

export interface ScreenOptions {
  /** Where the text came from, such as `rules_file` or `mcp_tool_description`. Only shifts doubtful cases. */
  readonly channel?: string | undefined;
}

/**
 * How strongly a text tries to steer an agent that reads it. It raises suspicion and never grants anything.
 * Linear in the length; of a text longer than `WHOLE` the head and the tail are read and `unread` says what was not.
 */
export function screen(text: string, options: ScreenOptions = {}): Screening {
  if (text.length <= WHOLE) return conclude(signalsOf(text, 0, options));
  const tailStart = text.length - TAIL;
  const signals = [...signalsOf(text.slice(0, HEAD), 0, options), ...signalsOf(text.slice(tailStart), tailStart, options)];
  return { ...conclude(signals), unread: tailStart - HEAD };
}

const HEAD = 1 << 18;
const TAIL = 1 << 17;
const WHOLE = HEAD + TAIL;

function signalsOf(text: string, offset: number, options: ScreenOptions): Signal[] {
  const { view, decoded, mixedWords } = normalise(text);
  const smuggled = findSmuggled(text);
  const views = [view, ...smuggled.views, ...decodeBlobs(text), ...respellings(view)];
  const signals = [...smuggled.signals];
  for (const mixed of mixedWords.slice(0, 50)) signals.push({ kind: "look-alikes", points: 1, ...mixed });
  for (const one of views) signals.push(...signalsOfView(one, decoded, options));
  return offset === 0
    ? signals
    : signals.map((signal) => ({ ...signal, start: signal.start + offset, end: signal.end + offset }));
}

function signalsOfView(view: View, decoded: number, options: ScreenOptions): Signal[] {
  const { matches, talk } = sweep(view.text);
  return matches.map((match) => {
    const weight = view.origin === "plain" ? weigh(view.text, match, talk) : 1;
    const points = match.points * weight + (view.origin === "plain" ? (decoded > 8 ? 1 : 0) : 2);
    return { kind: match.kind, points: points + channelShift(match.kind, options.channel), ...originalSpan(view, match.start, match.end) };
  });
}

/** Agents are spoken to in a rules file; a tool description has no business giving orders. */
function channelShift(kind: string, channel: string | undefined): number {
  if (channel === "rules_file" && (kind === "steering" || kind === "trigger" || kind === "memory")) return -1.5;
  if (channel === "mcp_tool_description" && (kind === "trigger" || kind === "tool-poisoning" || kind === "secrecy")) return 2;
  return 0;
}

function conclude(signals: readonly Signal[]): Screening {
  const { score, counted }: Tally = tally(signals);
  const findings = counted.map((signal): Finding => ({
    kind: signal.kind,
    severity: severityOf(signal.points),
    start: signal.start,
    end: signal.end,
    because: BECAUSE[signal.kind] ?? signal.kind,
  }));
  return { risk: score < LOW ? "none" : severityOf(score), findings };
}

const LOW = 2;

function severityOf(points: number): Exclude<Risk, "none"> {
  if (points < 4) return "low";
  if (points < 7) return "medium";
  return points < 10 ? "high" : "critical";
}
