import { descriptionOrNegation, spared, spokenTo, withinName } from "./context.ts";
import { conceptNumber, rulesWith, type ScreenRule } from "./grammar.ts";
import { findWords } from "./phrases.ts";
import { findHidden, findShapes } from "./shapes.ts";
import { eachMatch, type Match, type Swept, type Stretch } from "./view.ts";

/** One pass over a folded text. Tracks where each concept was last seen, and which rules that completes. */
export function sweep(text: string): Swept {
  const state = startState(text);
  const shapes = findShapes(text);
  let nextShape = 0;
  let addressEnd = 0;
  const shapesUpTo = (end: number) => {
    for (let shape = shapes[nextShape]; shape && shape.start < end; shape = shapes[++nextShape]) {
      if (shape.concept === "url" || shape.concept === "email") addressEnd = Math.max(addressEnd, shape.end);
      see(state, conceptNumber(shape.concept), shape);
    }
  };
  findWords(text, (concept, start, end) => {
    shapesUpTo(start + 1);
    // Ignore words inside a URL or address.
    if (start >= addressEnd) see(state, concept, { start, end });
  });
  shapesUpTo(Number.POSITIVE_INFINITY);
  return { matches: state.matches, talk: state.talk, warnings: state.warnings };
}

interface State {
  readonly text: string;
  readonly hidden: readonly Stretch[];
  /** The last and second-to-last place of each concept. */
  readonly last: (Stretch | undefined)[];
  readonly earlier: (Stretch | undefined)[];
  readonly matches: Match[];
  readonly talk: number[];
  readonly warnings: number[];
  readonly boundaries: Iterator<RegExpExecArray>;
  next: RegExpExecArray | undefined;
  nextHidden: number;
  clause: number;
  sentence: number;
}

const MAX_MATCHES = 2000;
const [AI = 0, AGENT = 0, ADDRESSED = 0, NAMED = 0, HIDDEN = 0, OVERRIDE = 0] =
  "ai agent addressed named hidden override".split(" ").map(conceptNumber);
const [META = 0, ATTACK = 0, NOT = 0, DONT = 0, MACHINE = 0] = "meta attack not dont machine"
  .split(" ")
  .map(conceptNumber);
const LOOT = new Set(["secret", "token"].map(conceptNumber));
/** What a negation or a description cancels. */
const VERBS = new Set(
  "override disable run act send destroy reveal obey roleplay secret token put change record"
    .split(" ")
    .map(conceptNumber),
);

function startState(text: string): State {
  const boundaries = eachMatch(text, BOUNDARY);
  const start = { boundaries, next: nextOf(boundaries), nextHidden: 0, clause: 0, sentence: 0 };
  return { ...start, text, hidden: findHidden(text), last: [], earlier: [], matches: [], talk: [], warnings: [] };
}

function see(state: State, concept: number, at: Stretch): void {
  readBoundaries(state, at.start);
  if (isForceless(state, concept, at)) return;
  if (concept === META && state.talk.length < MAX_MATCHES) state.talk.push(at.start);
  if (concept === ATTACK && state.warnings.length < MAX_MATCHES) state.warnings.push(at.start);
  if (inHidden(state, at.start)) note(state, HIDDEN, at);
  note(state, concept, at);
  if (concept === AI && spokenTo(state.text, at, true)) note(state, ADDRESSED, at);
  if (concept === AGENT && spokenTo(state.text, at, false)) note(state, NAMED, at);
}

/** Whether the context of a word cancels it. */
function isForceless(state: State, concept: number, at: Stretch): boolean {
  const { text, clause } = state;
  if (concept === AI || concept === AGENT) return withinName(text, at);
  // A part of a name such as `drop.example` or `untrusted_content` is not talk about examples.
  if (concept === META || concept === ATTACK)
    return /[./_]/.test(text[at.start - 1] ?? " ") || /[/_]/.test(text[at.end] ?? " ");
  if (!VERBS.has(concept)) return false;
  const [not, dont] = [state.last[NOT], state.last[DONT]];
  const negation = (not?.end ?? -1) > (dont?.end ?? -1) ? not : dont;
  const before = { clause, negation, machine: state.last[MACHINE], describable: concept === OVERRIDE };
  return descriptionOrNegation(text, at, before) || (LOOT.has(concept) && spared(text, at));
}

function note(state: State, concept: number, at: Stretch): void {
  if (state.last[concept]?.start !== at.start) state.earlier[concept] = state.last[concept];
  state.last[concept] = at;
  for (const rule of rulesWith(concept)) {
    const span = completes(state, rule, at);
    if (span === undefined) continue;
    if (rule.kind === undefined) note(state, rule.derives, span);
    else keep(state.matches, { kind: rule.kind, points: rule.points, ...span });
  }
}

/** The stretch that a rule's parts cover, if each was seen close enough before `at`. */
function completes(state: State, rule: ScreenRule, at: Stretch): Stretch | undefined {
  const boundary = rule.scope === "clause" ? state.clause : rule.scope === "sentence" ? state.sentence : 0;
  const floor = Math.max(boundary, at.start - rule.within);
  let { start, end } = at;
  let last = -1;
  let used: number[] | undefined;
  for (const group of rule.groups) {
    const found = latest(state, group, floor, used);
    if (found === undefined || (rule.ordered && found.start < last)) return undefined;
    last = found.start;
    if (group[0] !== HIDDEN) (used ??= []).push(last);
    start = Math.min(start, found.start);
    end = Math.max(end, found.end);
  }
  return { start, end };
}

/** The group's most recent concept, not before `floor` and not in a word that another group already uses. */
function latest(
  state: State,
  group: readonly number[],
  floor: number,
  used: readonly number[] = NONE,
): Stretch | undefined {
  let best: Stretch | undefined;
  for (const concept of group) {
    let place = state.last[concept];
    if (place !== undefined && concept !== HIDDEN && used.includes(place.start)) {
      place = state.earlier[concept];
      if (place !== undefined && used.includes(place.start)) place = undefined;
    }
    if (place !== undefined && place.start >= floor && place.start > (best?.start ?? -1)) best = place;
  }
  return best;
}

const NONE: readonly number[] = [];

/** Merges neighbouring matches of the same kind and strength, so that the list stays short on hostile text. */
function keep(matches: Match[], match: Match): void {
  for (let index = matches.length - 1; index >= Math.max(0, matches.length - 8); index--) {
    const known = matches[index];
    if (known?.kind === match.kind && match.start <= known.end && known.points >= match.points) return;
  }
  if (matches.length < MAX_MATCHES) matches.push(match);
}

function readBoundaries(state: State, until: number): void {
  for (; state.next && state.next.index < until; state.next = nextOf(state.boundaries)) {
    state.clause = state.next.index + 1;
    if (state.next[1] !== undefined) state.sentence = state.clause;
  }
  startBoth(state, state.hidden[state.nextHidden], until);
}

const nextOf = (boundaries: Iterator<RegExpExecArray>): RegExpExecArray | undefined => {
  const { done, value } = boundaries.next();
  return done ? undefined : value;
};

/**
 * Ends of sentences: `.`, `!` and `?` before a blank or an ideograph, their full-width forms, an empty line, a line that
 * starts a list item. And ends of clauses, without the group.
 */
const BOUNDARY =
  /([.!?](?![!-\u2e7f])|[\u3002\uff01\uff1f\u0964]|\n(?=[\n#|]|[-*] ))|[,:;](?![!-\u2e7f])|[\u3001\uff0c\uff1a\uff1b]/g;

/** What is hidden does not combine with what stands around it. */
function startBoth(state: State, edge: Stretch | undefined, until: number): void {
  if (edge === undefined || edge.start > until) return;
  state.sentence = Math.max(state.sentence, edge.start);
  state.clause = Math.max(state.clause, edge.start);
}

function inHidden(state: State, at: number): boolean {
  for (let edge = state.hidden[state.nextHidden]; edge && edge.end <= at; edge = state.hidden[++state.nextHidden])
    startBoth(state, { start: edge.end, end: edge.end }, Number.POSITIVE_INFINITY);
  const edge = state.hidden[state.nextHidden];
  return edge !== undefined && edge.start <= at;
}
