import { reportMadeRepositories } from "../../shell/programs/made-repository.ts";
import { extractDanger } from "../../shell/danger.ts";
import { applyEffect } from "./apply-effect.ts";
import { agrees } from "../../shell/compare.ts";
import { exportEffects } from "../../shell/environment.ts";
import {
  type Examination,
  type ExaminationSteps,
  type Place,
  type ShellState,
  copyState,
  report,
  UNKNOWN_WORD,
} from "./examination.ts";
import { examineArgv } from "./examine-argv.ts";
import { expand, expandOne, expandTarget } from "../../shell/expand.ts";
import { type Feed, feedFrom } from "../../shell/feed.ts";
import {
  HOPELESS_COMMANDS,
  HOPELESS_DEPTH,
  isHopeless,
  MAX_COMMANDS,
  MAX_LENGTH,
  MAX_PARSED,
  MAX_PATHS,
  MAX_WORDS,
} from "../../shell/limits.ts";
import { extractProof } from "../../shell/proof.ts";
import { differenceText, matters, type RunningShell } from "../../shell/running-shell.ts";
import type { RawWord, ShellCommand, ShellList, ShellNode, ShellRedirect } from "../../shell/script.ts";
import { declares } from "../../shell/setters.ts";
import { DIGITS, isVariable, show, splitText, UNKNOWN, type Word, word } from "../../shell/word.ts";

const STEPS: ExaminationSteps = { source: examineSource, nodes: examineNodes, argv: examineArgv };

/** Judges a shell command line and returns everything that was found and seen. */
export function examineShell(
  source: string,
  parts: Pick<Examination, "policy" | "world"> & { readonly cwd: string; readonly shell?: RunningShell | undefined },
): Examination {
  const exam: Examination = {
    policy: parts.policy,
    world: parts.world,
    findings: [],
    seen: [],
    made: [],
    git: { uses: [], worktrees: [], checksOut: false },
    budget: MAX_COMMANDS,
    paths: MAX_PATHS,
    parsed: 0,
    steps: STEPS,
  };
  const state: ShellState = { cwd: parts.cwd, otherCwds: [], previousCwd: undefined, variables: new Map() };
  examineSource(source, { exam, state, feed: { kind: "none" }, shell: parts.shell ?? "bash", depth: 0 });
  reportMadeRepositories(exam);
  return exam;
}

/** Reads a script with both extractors; where the proof fails or they disagree, a person must look. */
function examineSource(source: string, place: Place): void {
  const { exam } = place;
  const object = (verdict: "ask" | "deny", code: string, because: string) =>
    report(exam, { verdict, code, rule: "proof", because, fragment: source.slice(0, 120) });
  if (source.trim() === "") return object("deny", "empty", "there is no command");
  if (isHopeless(source) || (exam.parsed += source.length) > MAX_PARSED)
    return object("deny", "too-much", "the command is too long or too deep to be judged");
  if (source.includes(UNKNOWN)) return object("deny", "control-character", "the command holds a NUL character");
  if (/[\u0001-\u0008\u000b-\u001f\u007f]/.test(source))
    object("ask", "control-character", "the command holds a control character");
  const danger = extractDanger(source);
  if (danger.errors.length > 0) {
    object("ask", "syntax", `the shell would not read it as written: ${danger.errors[0]}`);
    examineFragments(source, place);
  }
  if (source.length > MAX_LENGTH) object("ask", "too-much", "the command is longer than is proven");
  else {
    const proof = extractProof(source);
    if (!proof.proven) object("ask", "unproven", `it cannot be proven what it runs: ${proof.because}`);
    else if (!agrees(proof.commands, danger.nodes)) object("ask", "disagreement", "two readings of the command differ");
    const differing = proof.proven ? proof.differences.find((one) => matters(one, place.shell)) : undefined;
    if (differing !== undefined) object("ask", "shell-differs", differenceText(differing, place.shell));
  }
  if (danger.nodes.length === 0)
    report(exam, {
      verdict: "allow",
      code: "no-command",
      rule: "shell",
      because: "there is no command in it",
      fragment: source.slice(0, 120),
    });
  examineNodes(danger.nodes, place);
}

/** What a parser lost in a broken script may still stand there: each stretch between separators is looked at by itself. */
function examineFragments(source: string, place: Place): void {
  for (const fragment of source.split(/[;&|(){}\n`]+/).slice(0, MAX_FRAGMENTS))
    if (/^\s*[\w./\\'"]/.test(fragment))
      examineNodes(extractDanger(fragment).nodes, { ...place, state: copyState(place.state) });
}

const MAX_FRAGMENTS = 60;

function examineNodes(nodes: readonly ShellNode[], place: Place): void {
  for (const node of nodes) {
    examineNode(node, place);
    // Without `&&` between them the next command runs wherever the last `cd` got to.
    place.state.previousCwd = undefined;
  }
}

/** Examines a node and says what it writes to the next one in a pipeline. */
function examineNode(node: ShellNode, place: Place): Feed {
  const { exam } = place;
  if (exam.budget < -HOPELESS_COMMANDS) return { kind: "unknown" };
  if (place.depth > 2 * HOPELESS_DEPTH) {
    report(exam, {
      verdict: "deny",
      code: "too-much",
      rule: "cap",
      because: "commands are nested too deeply",
      fragment: "",
    });
    return { kind: "unknown" };
  }
  if (node.kind === "command") return examineCommand(node, place);
  if (node.kind !== "loop") for (const word of node.words ?? []) expand(word, place);
  if (node.kind === "pipeline")
    return node.nodes.reduce<Feed>(
      (feed, part) => examineNode(part, { ...place, state: copyState(place.state), feed }),
      place.feed,
    );
  if (node.kind === "sequence") {
    const feeds = node.nodes.map((inner) => examineNode(inner, place));
    return feeds.length === 1 ? (feeds[0] ?? { kind: "unknown" }) : { kind: "unknown" };
  }
  examineList(node, place);
  return { kind: "unknown" };
}

function examineList(node: ShellList, place: Place): void {
  switch (node.kind) {
    case "subshell":
      return examineNodes(node.nodes, { ...place, state: copyState(place.state) });
    case "loop":
      return examineLoop(node, place);
    case "function": {
      const name = node.name ?? "";
      report(place.exam, {
        verdict: "ask",
        code: "function",
        rule: "proof",
        because: `it gives the name ${name} a meaning of its own`,
        fragment: name,
      });
      return examineNodes(node.nodes, place);
    }
    default:
      return examineConditional(node, place);
  }
}

function examineLoop(node: ShellList, place: Place): void {
  const values = (node.words ?? []).flatMap((word) => expand(word, place));
  const few = values.length > 0 && values.length <= 8 ? values : [UNKNOWN_WORD];
  // A body is looked at twice at least: what it assigns may differ the next time round.
  for (const value of few.length === 1 ? [...few, ...few] : few) {
    if (--place.exam.budget < -HOPELESS_COMMANDS) {
      report(place.exam, {
        verdict: "deny",
        code: "too-much",
        rule: "cap",
        because: "loops inside loops run more commands than are looked at",
        fragment: node.name ?? "",
      });
      return;
    }
    if (node.name !== undefined) setVariable({ name: word(node.name), value: { ...value, open: false } }, place);
    const before = new Map(place.state.variables);
    examineNodes(node.nodes, place);
    forgetChanges(before, place.state);
  }
}

/** Parts that may or may not run: what they assign is unknown afterwards; in a chain of `&&` it is known to the end of the chain. */
function examineConditional(node: ShellList, place: Place): void {
  const [first, ...others] = node.nodes;
  if (first !== undefined) examineNode(first, place);
  const before = new Map(place.state.variables);
  for (const inner of others) {
    examineNode(inner, place);
    if (node.kind !== "chain") forgetChanges(before, place.state);
  }
  forgetChanges(before, place.state);
}

/** What was assigned may or may not have been: the values before and after are all that is known. */
function forgetChanges(before: ReadonlyMap<string, Word>, { variables }: ShellState): void {
  for (const [name, value] of variables) {
    const former = before.get(name);
    if (former?.text === value.text && former.others === value.others) continue;
    const values = [former, value].flatMap((each) => (each === undefined ? [] : [each.text, ...(each.others ?? [])]));
    const others = [...new Set(values)].filter((text) => !isVariable(text)).slice(-MAX_VALUES);
    variables.set(name, { ...UNKNOWN_WORD, ...(others.length === 0 ? {} : { others }) });
  }
}

const MAX_VALUES = 4;

function setVariable({ name, value }: { readonly name: Word; readonly value: Word }, place: Place): void {
  const text = `${show([name])}=${show([value])}`;
  applyEffect({ kind: "assign", name, value, exported: false }, place, { text, explicit: false });
}

function examineCommand(command: ShellCommand, place: Place): Feed {
  if (command.words.length + command.assignments.length > MAX_WORDS) {
    report(place.exam, {
      verdict: "deny",
      code: "too-much",
      rule: "cap",
      because: "the command has more words than are looked at",
      fragment: command.source.slice(0, 80),
    });
    return { kind: "unknown" };
  }
  const assigned = command.assignments.map(({ name, value }) => ({ name, value: expandOne(value, place) }));
  const words = commandWords(command.words, place);
  for (const { name, value } of assigned) {
    if (words.length === 0) setVariable({ name: word(name), value }, place);
    else
      for (const effect of exportEffects(name, value))
        applyEffect(effect, place, { text: `${name}=${show([value])}`, explicit: false });
  }
  if (words.length === 0)
    report(place.exam, {
      verdict: "allow",
      code: "shell-itself",
      rule: "shell",
      because: "the shell itself does this",
      fragment: command.source.slice(0, 120),
    });
  let feed = place.feed;
  for (const redirect of command.redirects) feed = examineRedirect(redirect, { ...place, feed });
  if (words.length === 0) return { kind: "unknown" };
  place.exam.steps.argv(words, { ...place, feed });
  return command.redirects.some(({ operator }) => operator.includes(">") && operator !== ">&")
    ? { kind: "unknown" }
    : feedFrom(words, feed);
}

function commandWords(raw: readonly RawWord[], place: Place): readonly Word[] {
  const words: Word[] = [];
  for (const each of raw) {
    const [first] = each.pieces;
    const assigns = first?.kind === "text" && /^[A-Za-z_]\w*\+?=/.test(first.text);
    if (assigns && words.some(({ text }) => declares(text))) words.push(expandOne(each, place));
    else words.push(...expand(each, place));
  }
  return words;
}

function examineRedirect({ operator, target, variable }: ShellRedirect, place: Place): Feed {
  if (operator === "<<" || operator === "<<<") {
    const { text } = expandOne(target, place);
    return isVariable(text)
      ? { kind: "unknown" }
      : { kind: "text", text: operator === "<<" ? text : `${text}\n`, sure: true };
  }
  if (variable !== undefined) setVariable({ name: word(variable), value: word(DIGITS) }, place);
  const { others = [], ...given } = expandTarget(target, place);
  if ((operator === ">&" || operator === "<&") && /^(?:\d*|\u000e)-?$/.test(given.text)) return place.feed;
  for (const text of [given.text, ...others.flatMap(splitText)]) {
    const aim = { ...given, text };
    const command = { text: `${operator} ${show([aim])}`, explicit: false };
    if (operator.includes("<")) applyEffect({ kind: "read", word: aim }, place, command);
    if (operator.includes(">")) applyEffect({ kind: "write", word: aim }, place, command);
  }
  return operator === "<" || operator === "<>" ? { kind: "unknown" } : place.feed;
}
