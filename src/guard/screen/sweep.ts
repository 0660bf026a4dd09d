import { described, directive, negated, negatesBehind, spared, spokenTo } from "./phrasing.ts";
import { CONCEPTS } from "./concept.ts";
import { findHidden, findShapes, type Shape } from "./shapes.ts";
import { conceptNumber, matchConcepts } from "./matcher.ts";
import type { Stretch } from "./normalise.ts";
import { isPossible, type ScreenRule, rulesByConcept, WORDS } from "./rules.ts";

/** A matched rule, with offsets in the swept text. */
export interface Match extends Stretch {
  readonly kind: string;
  readonly points: number;
}

export interface Swept {
  readonly matches: readonly Match[];
  /** Where the text talks about tests, examples or detection. Nearby matches may only be examples. */
  readonly talk: readonly number[];
  /** Where the text names attacks. Nearby matches may only be descriptions. */
  readonly warnings: readonly number[];
}

/** One pass over a folded text. Tracks where each concept was last seen, and which rules that completes. */
export function sweep(text: string): Swept {
  const state = startState(text);
  const shapes = findShapes(text);
  let nextShape = 0;
  let addressEnd = 0;
  const shapesUpTo = (end: number) => {
    for (let shape = shapes[nextShape]; shape && shape.start < end; shape = shapes[++nextShape]) {
      if (shape.concept === "url" || shape.concept === "email") addressEnd = Math.max(addressEnd, shape.end);
      seeShape(state, shape);
    }
  };
  matchConcepts(text, (concept, start, end) => {
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
  readonly behind: boolean;
  readonly rules: readonly (readonly ScreenRule[])[];
  /** The last and second-to-last position of each concept. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly earlierStarts: Int32Array;
  readonly earlierEnds: Int32Array;
  readonly matches: Match[];
  readonly talk: number[];
  readonly warnings: number[];
  /** The concepts seen so far, as bits. */
  readonly seen: Int32Array;
  /** Where the parts of the current rule were found; the first `placeCount` entries are valid. */
  readonly places: Int32Array;
  placeCount: number;
  foundAt: number;
  nextHidden: number;
  read: number;
  clause: number;
  sentence: number;
}

const MAX_MATCHES = 2000;
const AI = conceptNumber("ai");
const AGENT = conceptNumber("agent");
const ADDRESSED = conceptNumber("addressed");
const NAMED = conceptNumber("named");
const HIDDEN = conceptNumber("hidden");
const SECRET = conceptNumber("secret");
const TOKEN = conceptNumber("token");
const META = conceptNumber("meta");
const ATTACK = conceptNumber("attack");
const NOT = conceptNumber("not");
const DONT = conceptNumber("dont");
const MACHINE = conceptNumber("machine");
const OVERRIDE = conceptNumber("override");
const NEGATED = new Set(
  [
    "override",
    "disable",
    "run",
    "act",
    "send",
    "destroy",
    "reveal",
    "obey",
    "roleplay",
    "secret",
    "token",
    "put",
    "change",
    "record",
  ].map(conceptNumber),
);

function startState(text: string): State {
  return {
    text,
    hidden: findHidden(text),
    behind: negatesBehind(text),
    rules: rulesByConcept(),
    starts: new Int32Array(CONCEPTS.length).fill(-1),
    ends: new Int32Array(CONCEPTS.length).fill(-1),
    earlierStarts: new Int32Array(CONCEPTS.length).fill(-1),
    earlierEnds: new Int32Array(CONCEPTS.length).fill(-1),
    matches: [],
    talk: [],
    warnings: [],
    seen: new Int32Array(WORDS),
    places: new Int32Array(8),
    placeCount: 0,
    foundAt: -1,
    nextHidden: 0,
    read: 0,
    clause: 0,
    sentence: 0,
  };
}

const seeShape = (state: State, shape: Shape): void => see(state, conceptNumber(shape.concept), shape);

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
  const { text } = state;
  if (concept === SECRET || concept === TOKEN) {
    if (spared(text, at)) return true;
  } else if (concept === META || concept === ATTACK) {
    // The last part of a name such as `drop.example` is not talk about examples.
    return text[at.start - 1] === ".";
  }
  if (!NEGATED.has(concept)) return false;
  const seen = seenBefore(state);
  if (negated(text, at, seen)) return true;
  return concept === OVERRIDE && (described(text, at, seen) || directive(text, at));
}

function note(state: State, concept: number, at: Stretch): void {
  if (state.starts[concept] !== at.start) {
    state.earlierStarts[concept] = state.starts[concept] ?? -1;
    state.earlierEnds[concept] = state.ends[concept] ?? -1;
  }
  state.starts[concept] = at.start;
  state.ends[concept] = at.end;
  state.seen[concept >> 5] = (state.seen[concept >> 5] ?? 0) | (1 << (concept & 31));
  for (const rule of state.rules[concept] ?? []) {
    const span = isPossible(rule, state.seen) ? completes(state, rule, at) : undefined;
    if (span === undefined) continue;
    if (rule.kind === undefined) note(state, rule.derives, span);
    else keep(state.matches, { kind: rule.kind, points: rule.points, ...span });
  }
}

/** The stretch that a rule's parts cover, if each was seen close enough before `at`. */
function completes(state: State, rule: ScreenRule, at: Stretch): Stretch | undefined {
  const boundary = rule.scope === "clause" ? state.clause : rule.scope === "sentence" ? state.sentence : 0;
  const floor = Math.max(boundary, at.start - rule.within);
  let start = at.start;
  let end = at.end;
  let last = -1;
  state.placeCount = 0;
  for (const group of rule.groups) {
    const found = latest(state, group, floor);
    if (found === -1) return undefined;
    const from = state.foundAt;
    if (rule.ordered && from < last) return undefined;
    last = from;
    if (found !== HIDDEN) state.places[state.placeCount++] = from;
    start = Math.min(start, from);
    end = Math.max(end, from === state.starts[found] ? (state.ends[found] ?? 0) : (state.earlierEnds[found] ?? 0));
  }
  return { start, end };
}

/** The group's most recent concept, not before `floor` and not in a word that another group already uses. */
function latest(state: State, group: readonly number[], floor: number): number {
  let found = -1;
  let at = floor - 1;
  for (const concept of group) {
    let start = state.starts[concept] ?? -1;
    if (start > at && concept !== HIDDEN && isUsed(state, start)) {
      start = state.earlierStarts[concept] ?? -1;
      if (start > at && isUsed(state, start)) continue;
    }
    if (start > at) {
      found = concept;
      at = start;
    }
  }
  state.foundAt = at;
  return found;
}

function isUsed(state: State, start: number): boolean {
  for (let index = 0; index < state.placeCount; index++) if (state.places[index] === start) return true;
  return false;
}

/** Merges neighbouring matches of the same kind and strength, so that the list stays short on hostile text. */
function keep(matches: Match[], match: Match): void {
  for (let index = matches.length - 1; index >= Math.max(0, matches.length - 8); index--) {
    const known = matches[index];
    if (known?.kind !== match.kind || match.start > known.end) continue;
    if (known.points >= match.points) return;
  }
  if (matches.length < MAX_MATCHES) matches.push(match);
}

function readBoundaries(state: State, until: number): void {
  const { text } = state;
  for (; state.read < until; state.read++) {
    const code = text.charCodeAt(state.read);
    // Quickly rules out letters, digits and blanks.
    if ((code > 0x3b && code < 0x3f) || (code > 0x3f && code < 0x3001) || code === 0x20) {
      if (code !== 0x964) continue;
    }
    if (endsSentence(text, state.read, code)) state.sentence = state.clause = state.read + 1;
    else if (endsClause(text, state.read, code)) state.clause = state.read + 1;
  }
  const edge = state.hidden[state.nextHidden];
  if (edge && edge.start <= until) {
    state.sentence = Math.max(state.sentence, edge.start);
    state.clause = Math.max(state.clause, edge.start);
  }
}

/**
 * `.`, `!` and `?` before a blank, their full-width forms anywhere, an empty line, or a line that starts a list item.
 */
function endsSentence(text: string, at: number, code: number): boolean {
  if (code === 0x2e || code === 0x21 || code === 0x3f) {
    return followedByGap(text, at);
  }
  if (code === 0x0a) {
    const next = text.charCodeAt(at + 1);
    return (
      next === 0x0a || next === 0x23 || next === 0x7c || ((next === 0x2d || next === 0x2a) && text[at + 2] === " ")
    );
  }
  return code === 0x3002 || code === 0xff01 || code === 0xff1f || code === 0x964;
}

function endsClause(text: string, at: number, code: number): boolean {
  if (code === 0x2c || code === 0x3a || code === 0x3b) return followedByGap(text, at);
  return code === 0x3001 || code === 0xff0c || code === 0xff1a || code === 0xff1b;
}

/** A blank, the end, or an ideograph, because full-width punctuation was folded and has no blank after it. */
function followedByGap(text: string, at: number): boolean {
  const next = text.charCodeAt(at + 1);
  return !(next > 0x20 && next < 0x2e80);
}

function inHidden(state: State, at: number): boolean {
  for (let edge = state.hidden[state.nextHidden]; edge && edge.end <= at; edge = state.hidden[++state.nextHidden]) {
    state.sentence = Math.max(state.sentence, edge.end);
    state.clause = Math.max(state.clause, edge.end);
  }
  const edge = state.hidden[state.nextHidden];
  return edge !== undefined && edge.start <= at;
}

/** The positions of words that cancel a verb. */
function seenBefore(state: State) {
  const word = (state.ends[NOT] ?? -1) > (state.ends[DONT] ?? -1) ? NOT : DONT;
  const { clause, behind } = state;
  return { clause, behind, negation: placeOf(state, word), machine: placeOf(state, MACHINE) };
}

const placeOf = (state: State, concept: number): Stretch => ({
  start: state.starts[concept] ?? -1,
  end: state.ends[concept] ?? -1,
});
