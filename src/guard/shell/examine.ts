import { extractDanger } from "./danger.ts";
import { applyEffect } from "./apply-effect.ts";
import { agrees } from "./compare.ts";
import { assignmentEffects, exportEffects } from "./environment.ts";
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
import { expand, expandOne } from "./expand.ts";
import { type Feed, feedFrom } from "./feed.ts";
import {
  HOPELESS_COMMANDS,
  HOPELESS_DEPTH,
  isHopeless,
  MAX_COMMANDS,
  MAX_LENGTH,
  MAX_PARSED,
  MAX_PATHS,
  MAX_WORDS,
} from "./limits.ts";
import { extractProof } from "./proof.ts";
import { differenceText, matters, type RunningShell } from "./running-shell.ts";
import { type ShellCommand, type ShellList, type ShellNode, type ShellRedirect } from "./script.ts";
import { isKnown, show, UNKNOWN, type Word } from "./word.ts";

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
    budget: MAX_COMMANDS,
    paths: MAX_PATHS,
    parsed: 0,
    steps: STEPS,
  };
  const state: ShellState = { cwd: parts.cwd, otherCwds: [], variables: new Map() };
  examineSource(source, { exam, state, feed: { kind: "none" }, shell: parts.shell ?? "bash", depth: 0 });
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
  for (const fragment of source.split(/[;&|(){}\n`]+/).slice(0, MOST_FRAGMENTS))
    if (/^\s*[\w./\\'"]/.test(fragment))
      examineNodes(extractDanger(fragment).nodes, { ...place, state: copyState(place.state) });
}

const MOST_FRAGMENTS = 60;

function examineNodes(nodes: readonly ShellNode[], place: Place): void {
  for (const node of nodes) examineNode(node, place);
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
    if (node.name !== undefined) place.state.variables.set(node.name, value);
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

function forgetChanges(before: ReadonlyMap<string, Word>, { variables }: ShellState): void {
  for (const [name, value] of variables) if (before.get(name)?.text !== value.text) variables.set(name, UNKNOWN_WORD);
}

function examineCommand(command: ShellCommand, place: Place): Feed {
  const { state } = place;
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
  const words = command.words.flatMap((word) => expand(word, place));
  const judge = words.length === 0 ? assignmentEffects : exportEffects;
  for (const { name, value } of assigned) {
    for (const effect of judge(name, value))
      applyEffect(effect, place, { text: `${name}=${show([value])}`, explicit: false });
    if (words.length === 0) state.variables.set(name, value);
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
  rememberExports(words, state);
  return command.redirects.some(({ operator }) => operator.includes(">") && operator !== ">&")
    ? { kind: "unknown" }
    : feedFrom(words, feed);
}

function rememberExports(words: readonly Word[], state: ShellState): void {
  if (words[0]?.text === "read")
    for (const { text } of words.slice(1)) if (/^[A-Za-z_]\w*$/.test(text)) state.variables.set(text, UNKNOWN_WORD);
  if (!/^(?:export|declare|local|readonly|typeset)$/.test(words[0]?.text ?? "")) return;
  for (const { text } of words.slice(1)) {
    const equals = text.indexOf("=");
    if (equals > 0) state.variables.set(text.slice(0, equals), { text: text.slice(equals + 1), glob: false });
  }
}

function examineRedirect({ operator, target }: ShellRedirect, place: Place): Feed {
  if (operator === "<<" || operator === "<<<") {
    const word = expandOne(target, place);
    return isKnown(word) || !word.text.includes(UNKNOWN) ? { kind: "text", text: word.text } : { kind: "unknown" };
  }
  const word = expandOne(target, place);
  const text = `${operator} ${show([word])}`;
  if ((operator === ">&" || operator === "<&") && /^\d*-?$/.test(word.text)) return place.feed;
  const apply = (kind: "read" | "write") => applyEffect({ kind, word }, place, { text, explicit: false });
  if (operator.includes("<")) apply("read");
  if (operator.includes(">")) apply("write");
  return operator === "<" || operator === "<>" ? { kind: "unknown" } : place.feed;
}
