import type { RunningShell } from "../../contract/agent-call.ts";
import { feedFrom } from "../../shell/argv/argv-effects.ts";
import { expand, expandOne, type ExpandPlace, expandTarget, expandWords } from "../../shell/parse/expand.ts";
import type { Effect } from "../../shell/model/effect.ts";
import type { ShellCommand, ShellList, ShellNode, ShellRedirect } from "../../shell/model/script.ts";
import { copyState, type Feed, type ShellState } from "../../shell/model/shell-state.ts";
import { DIGITS, isVariable, show, splitText, UNKNOWN, UNKNOWN_WORD, type Word, word } from "../../shell/model/word.ts";
import { isHopeless, readFragments, readScript } from "../../shell/parse/read-script.ts";
import { applyEffect } from "./apply-effect.ts";
import {
  type ExaminationSteps,
  HOPELESS_COMMANDS,
  HOPELESS_DEPTH,
  MAX_COMMANDS,
  MAX_PARSED,
  MAX_PATHS,
  MAX_WORDS,
  type Place,
  report,
  type ShellExamination,
} from "./examination.ts";
import { examineArgv } from "./examine-argv.ts";
import { reportMadeRepositories } from "./made-paths.ts";

const STEPS: ExaminationSteps = { source: examineSource, nodes: examineNodes, argv: examineArgv };

/** Judges a shell command line and returns all findings and effects. */
export function examineShell(
  source: string,
  parts: Pick<ShellExamination, "policy" | "machine" | "inside" | "ran"> & {
    readonly cwd: string;
    readonly shell?: RunningShell | undefined;
    /** Set before it starts. */
    readonly variables?: ReadonlyMap<string, Word> | undefined;
  },
): ShellExamination {
  const exam: ShellExamination = {
    policy: parts.policy,
    workspaceRoot: parts.policy.policy.workspaceRoot,
    home: parts.policy.policy.home,
    machine: parts.machine,
    written: SHELL_SYNTAX.test(source) ? [] : source.trim().split(" "),
    inside: parts.inside,
    findings: [],
    seen: [],
    ran: parts.ran,
    made: [],
    git: { uses: [], worktrees: [], checksOut: false },
    budget: MAX_COMMANDS,
    paths: MAX_PATHS,
    parsed: 0,
    steps: STEPS,
  };
  const state: ShellState = {
    cwd: parts.cwd,
    otherCwds: [],
    previousCwd: undefined,
    variables: new Map(parts.variables),
  };
  examineSource(source, { exam, state, feed: { kind: "none" }, shell: parts.shell ?? "bash", depth: 0 });
  reportMadeRepositories(exam);
  return exam;
}

/** What makes more of a line than one command with words as they stand. */
const SHELL_SYNTAX = /[;&|<>()`$\n\r{}\\]/;

/** Parses a script with both readers. Asks if must-run cannot prove its reading or the two disagree. */
function examineSource(source: string, place: Place): void {
  const { exam } = place;
  const object = (verdict: "ask" | "deny", code: string, because: string) =>
    report(exam, { verdict, code, rule: "proof", because, fragment: source.slice(0, 120) });
  if (source.trim() === "") return object("deny", "empty", "there is no command");
  if (isHopeless(source) || (exam.parsed += source.length) > MAX_PARSED)
    return object("deny", "too-much", "the command is too long or too deeply nested to check");
  if (source.includes(UNKNOWN)) return object("deny", "control-character", "the command contains a NUL character");
  if (/[\u0001-\u0008\u000b-\u001f\u007f]/.test(source))
    object("ask", "control-character", "the command contains a control character");
  const { nodes, errors, doubts } = readScript(source, place.shell);
  if (errors.length > 0) {
    object("ask", "syntax", `the shell would not parse it as written: ${errors[0]}`);
    for (const fragment of readFragments(source)) examineNodes(fragment, { ...place, state: copyState(place.state) });
  }
  for (const { code, because } of doubts) object("ask", code, because);
  if (nodes.length === 0)
    report(exam, {
      verdict: "allow",
      code: "no-command",
      rule: "shell",
      because: "it contains no command",
      fragment: source.slice(0, 120),
    });
  examineNodes(nodes, place);
}

/** The context for expanding a command's words. */
function expandPlace(place: Place): ExpandPlace {
  const { exam, state, shell } = place;
  const { workspaceRoot, home, machine } = exam;
  return {
    state,
    shell,
    workspaceRoot,
    home,
    machine,
    examine: (nodes) =>
      exam.steps.nodes(nodes, { ...place, state: copyState(state), feed: { kind: "none" }, depth: place.depth + 1 }),
    ask: (code, because, fragment) => report(exam, { verdict: "ask", code, rule: "proof", because, fragment }),
  };
}

function examineNodes(nodes: readonly ShellNode[], place: Place): void {
  for (const node of nodes) {
    examineNode(node, place);
    // Without `&&`, the next command runs in whatever folder the last `cd` reached.
    place.state.previousCwd = undefined;
  }
}

/** Examines a node and returns what it feeds to the next one in a pipeline. */
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
  if (node.kind !== "loop") for (const raw of node.words ?? []) expand(raw, expandPlace(place));
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
        because: `it redefines ${name}`,
        fragment: name,
      });
      return examineNodes(node.nodes, place);
    }
    default:
      return examineConditional(node, place);
  }
}

function examineLoop(node: ShellList, place: Place): void {
  const values = (node.words ?? []).flatMap((raw) => expand(raw, expandPlace(place)));
  const few = values.length > 0 && values.length <= 8 ? values : [UNKNOWN_WORD];
  // Examine the body at least twice, because its assignments may matter in the next iteration.
  for (const value of few.length === 1 ? [...few, ...few] : few) {
    if (--place.exam.budget < -HOPELESS_COMMANDS) {
      report(place.exam, {
        verdict: "deny",
        code: "too-much",
        rule: "cap",
        because: "nested loops run too many commands to check",
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

/**
 * Parts that may or may not run. Their assignments are unknown afterwards; in an `&&` chain they are known until its
 * end.
 */
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

/** The assignments may or may not have happened, so each variable may have its value from before or after. */
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
      because: "the command has too many words to check",
      fragment: command.source.slice(0, 80),
    });
    return { kind: "unknown" };
  }
  const within = expandPlace(place);
  const assigned = command.assignments.map(({ name, value }) => ({ name, value: expandOne(value, within) }));
  const words = expandWords(command.words, within);
  const before = assigned.length === 0 ? place.state.variables : new Map(place.state.variables);
  for (const { name, value } of assigned) {
    if (words.length === 0) setVariable({ name: word(name), value }, place);
    else
      applyEffect({ kind: "variable", name, word: value }, place, {
        text: `${name}=${show([value])}`,
        explicit: false,
      });
  }
  if (words.length === 0)
    report(place.exam, {
      verdict: "allow",
      code: "shell-itself",
      rule: "shell",
      because: "a shell built-in",
      fragment: command.source.slice(0, 120),
    });
  let feed = place.feed;
  for (const redirect of command.redirects) feed = examineRedirect(redirect, { ...place, feed });
  if (words.length === 0) return { kind: "unknown" };
  place.exam.steps.argv(words, { ...place, feed });
  forgetGiven(assigned, before, place.state);
  return command.redirects.some(({ operator }) => operator.includes(">") && operator !== ">&")
    ? { kind: "unknown" }
    : feedFrom(words, feed);
}

type Given = readonly { readonly name: string; readonly value: Word }[];

/** The variables in front of a command are gone after it, unless it sets or exports them itself. */
function forgetGiven(given: Given, before: ReadonlyMap<string, Word>, { variables }: ShellState): void {
  for (const { name, value } of given) {
    const former = before.get(name);
    if (variables.get(name) !== value) continue;
    if (former === undefined) variables.delete(name);
    else variables.set(name, former);
  }
}

/** Only `>>` and `<>` keep what the file holds. */
function writeBy(operator: string, target: Word): Effect {
  return operator === ">" || operator === ">|" || operator === "&>"
    ? { kind: "write", word: target, replaces: true }
    : { kind: "write", word: target };
}

function examineRedirect({ operator, target, variable }: ShellRedirect, place: Place): Feed {
  if (operator === "<<" || operator === "<<<") {
    const { text } = expandOne(target, expandPlace(place));
    return isVariable(text)
      ? { kind: "unknown" }
      : { kind: "text", text: operator === "<<" ? text : `${text}\n`, sure: true };
  }
  if (variable !== undefined) setVariable({ name: word(variable), value: word(DIGITS) }, place);
  const { others = [], ...given } = expandTarget(target, expandPlace(place));
  if ((operator === ">&" || operator === "<&") && /^(?:\d*|\u000e)-?$/.test(given.text)) return place.feed;
  for (const text of [given.text, ...others.flatMap(splitText)]) {
    const aim = { ...given, text };
    const command = { text: `${operator} ${show([aim])}`, explicit: false };
    if (operator.includes("<")) applyEffect({ kind: "read", word: aim }, place, command);
    if (operator.includes(">")) applyEffect(writeBy(operator, aim), place, command);
  }
  return operator === "<" || operator === "<>" ? { kind: "unknown" } : place.feed;
}
