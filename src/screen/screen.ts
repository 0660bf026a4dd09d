import { decodeBlobs } from "./blobs.ts";
import type { Finding, Risk, Screening } from "../contract/screening.ts";
import type { Signal } from "./finding.ts";
import { BECAUSE } from "./because.ts";
import { readNames } from "./file-names.ts";
import { normalise } from "./normalise.ts";
import { respellings } from "./respell.ts";
import { brokenUp, findSmuggled } from "./smuggled.ts";
import { weigh } from "./surroundings.ts";
import { type Match, sweep, type Swept } from "./sweep.ts";
import { scoreOf } from "./score.ts";
import { findConcealed } from "./terminal-text.ts";
import { type Origin, originalSpan, type View } from "./view.ts";

export interface ScreenOptions {
  /** The source of the text, such as `rules_file` or `mcp_tool_description`. Only shifts borderline cases. */
  readonly channel?: string | undefined;
}

/**
 * How strongly a text tries to steer an agent that reads it. Only raises suspicion and never grants anything. Linear in
 * the length. Of a text longer than `WHOLE`, only the head and the tail are read, and `unread` reports the rest.
 */
export function screen(text: string, options: ScreenOptions = {}): Screening {
  if (text.length <= WHOLE) return conclude(signalsOf(text, options));
  const tailStart = text.length - TAIL;
  const tail = signalsOf(text.slice(tailStart), options).map((signal) => ({
    ...signal,
    start: signal.start + tailStart,
    end: signal.end + tailStart,
  }));
  return { ...conclude([...signalsOf(text.slice(0, HEAD), options), ...tail]), unread: tailStart - HEAD };
}

const HEAD = 1 << 18;
const TAIL = 1 << 17;
const WHOLE = HEAD + TAIL;
const MAX_MIXED = 50;

function signalsOf(given: string, options: ScreenOptions): Signal[] {
  const concealed = findConcealed(given);
  const { text } = concealed;
  const { view, decoded, mixedWords } = normalise(text);
  const smuggled = findSmuggled(text);
  const plain = sweep(view.text);
  const signals: Signal[] = [
    ...concealed.signals,
    ...smuggled.signals,
    ...mixedWords
      .slice(0, MAX_MIXED)
      .map((word) => ({ kind: "look-alikes", points: mixedWords.length > 2 ? 4 : 1, ...word })),
    ...plain.matches.map((match) => {
      const span = originalSpan(view, match.start, match.end);
      const disguised = brokenUp(text, span) ? DISGUISED : decoded > FEW_ESCAPES ? 1 : 0;
      return { kind: match.kind, points: match.points * weigh(view.text, match, plain) + disguised, ...span };
    }),
  ];
  const disguises = [...concealed.views, ...smuggled.views, ...decodeBlobs(text), ...respellings(view)];
  const names = readNames(text);
  if (names) disguises.push(names);
  const seen = new Set(
    disguises.length === 0 ? [] : plain.matches.map((match) => keyOf(match, view.offsets[match.start] ?? 0)),
  );
  for (const other of disguises) signals.push(...signalsOfDisguise(other, plain, seen));
  return signals
    .filter((signal) => signal.kind !== "tool-poisoning" || signal.points > 3 || options.channel === TOOL_CHANNEL)
    .map((signal) => ({ ...signal, points: signal.points + channelShift(signal.kind, options.channel) }));
}

const FEW_ESCAPES = 8;
const TOOL_CHANNEL = "mcp_tool_description";

/**
 * Nobody disguises a mere quotation, so disguised signals count more. Pieces and names that we joined ourselves do not.
 */
function signalsOfDisguise(view: View, plain: Swept, seen: ReadonlySet<string>): Signal[] {
  const ours = view.origin === "split" || view.origin === "name" || view.origin === "assembled";
  const discussed = plain.talk.length + plain.warnings.length > 0;
  const weight = ours && discussed ? 0.25 : 1;
  const bonus = BONUS[view.origin] ?? (discussed && view.origin === "assembled" ? 0 : DISGUISED);
  return sweep(view.text).matches.flatMap((match) => {
    const span = originalSpan(view, match.start, match.end);
    if (match.kind === "tool-poisoning" || (!ours && seen.has(keyOf(match, span.start)))) return [];
    // The match is within one part, so nothing was assembled.
    if (view.origin === "assembled" && span.end - span.start <= match.end - match.start) return [];
    return [{ kind: match.kind, points: match.points * weight + bonus, ...span }];
  });
}

const DISGUISED = 2.5;
const BONUS: Partial<Record<Origin, number>> = { split: 0, name: 0 };

/** A match that is also in the plain text was not disguised. */
const keyOf = (match: Match, start: number): string => `${match.kind} ${match.points} ${start}`;

/** A rules file is expected to address agents; a tool description should not give orders. */
function channelShift(kind: string, channel: string | undefined): number {
  if (channel === "rules_file")
    return kind === "steering" || kind === "trigger" || kind === "memory" || kind === "tool-poisoning" ? -1.5 : 0;
  return channel === TOOL_CHANNEL && ORDERS.has(kind) ? 2 : 0;
}

const ORDERS = new Set(["tool-poisoning", "trigger", "secrecy", "authority", "steering", "exfiltration", "unattended"]);

function conclude(signals: readonly Signal[]): Screening {
  const { score, counted } = scoreOf(signals);
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
