import type { Finding, Risk, Screening } from "../../contract/screening.ts";
import { decodeBlobs } from "./blobs.ts";
import { brokenUp, findConcealed, findSmuggled } from "./hidden-text.ts";
import { normalise } from "./normalise.ts";
import { respellings } from "./respell.ts";
import { weigh } from "./context.ts";
import { sweep } from "./sweep.ts";
import { type Match, originalSpan, type Signal, type View, type Swept } from "./view.ts";

interface ScreenOptions {
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
  const seen = new Set(
    disguises.length === 0 ? [] : plain.matches.map((match) => keyOf(match, view.offsets[match.start] ?? 0)),
  );
  for (const other of disguises) signals.push(...signalsOfDisguise(other, plain, seen));
  return signals
    .filter((signal) => signal.kind !== "tool-poisoning" || options.channel === TOOL_CHANNEL)
    .map((signal) => ({ ...signal, points: signal.points + channelShift(signal.kind, options.channel) }));
}

const FEW_ESCAPES = 8;
const TOOL_CHANNEL = "mcp_tool_description";

/** Nobody disguises a mere quotation, so disguised signals count more. Parts that we joined ourselves do not. */
function signalsOfDisguise(view: View, plain: Swept, seen: ReadonlySet<string>): Signal[] {
  const joined = view.origin === "assembled";
  const discussed = joined && plain.talk.length + plain.warnings.length > 0;
  return sweep(view.text).matches.flatMap((match) => {
    const span = originalSpan(view, match.start, match.end);
    if (match.kind === "tool-poisoning" || (!joined && seen.has(keyOf(match, span.start)))) return [];
    // The match is within one part, so nothing was joined.
    if (joined && span.end - span.start <= match.end - match.start) return [];
    return [{ kind: match.kind, points: discussed ? match.points * 0.25 : match.points + DISGUISED, ...span }];
  });
}

const DISGUISED = 2.5;
/** A match that is also in the plain text was not disguised. */
const keyOf = (match: Match, start: number): string => `${match.kind} ${match.points} ${start}`;

/** A rules file is expected to address agents; a tool description should not give orders. */
function channelShift(kind: string, channel: string | undefined): number {
  if (channel === "rules_file") return kind === "steering" || kind === "trigger" || kind === "memory" ? -1.5 : 0;
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

/**
 * Nearby signals of different kinds add up; repeated signals of one kind do not. `counted` are those worth reporting,
 * with the strongest reading of each place, in order.
 */
export function scoreOf(signals: readonly Signal[]): { score: number; counted: readonly Signal[] } {
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

/** Why each kind of finding matters, as a phrase for display. */
export const BECAUSE: Readonly<Record<string, string>> = {
  override: "tells the reader to ignore the rules it was given",
  "new-task": "announces new rules or a new task for the reader",
  "prompt-leak": "asks for the reader's hidden instructions",
  exfiltration: "sends, or asks to send, secrets or private data where outsiders can read them",
  steering: "addresses an AI and tells it what to do",
  hidden: "addresses an AI where a person would not look",
  secrecy: "asks to act behind the user's back",
  unattended: "asks to act without the user's consent",
  authority: "claims authority or consent that a text cannot give",
  escalation: "asks to widen permissions or disable protections",
  jailbreak: "tries to give the reader an unrestricted role",
  memory: "tries to plant a lasting rule",
  "tool-poisoning": "gives orders about other tools or data in a tool description",
  trigger: "sets a condition under which the reader should act",
  relay: "speaks as one agent to another",
  pressure: "uses pressure or flattery to get a risky action done",
  clearance: "dictates the outcome of a review or a choice",
  "role-markup": "imitates the markup of system, user or tool messages",
  "tool-call": "imitates a tool call, or orders one, in data",
  download: "downloads a program and runs it immediately",
  danger: "contains a command that can do harm",
  destruction: "asks to destroy data",
  "decode-and-obey": "asks to decode or assemble a text and follow it",
  "tag-characters": "carries text in invisible tag characters",
  "variation-selectors": "carries text in variation selectors",
  "zero-width-bits": "carries text as zero-width bits",
  "zero-width-letters": "breaks up words with invisible characters",
  "direction-override": "displays its characters in a different order than a machine reads them",
  "concealed-text": "prints text that a terminal does not show",
  "control-change": "asks to change the agent's controls, under the pretext of a fix",
  "look-alikes": "spells words with look-alike letters of another script",
};
