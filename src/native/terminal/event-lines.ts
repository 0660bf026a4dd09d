import {
  type CompactionTrigger,
  eventOrigin,
  type NamedCall,
  type SessionEnd,
  type SessionEvent,
  type SessionOutcome,
} from "../../contract/engine-event.ts";
import { changedCheckIn, readGateReason } from "../../contract/gate-reason.ts";
import { denialForPerson } from "../../guard/explain.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { printable, shortLine } from "../../lib/text/printable.ts";
import { CHANGED_CALL } from "../engine/hooks.ts";

/** The same is told at the end of the session, as its outcome. */
export const isToldAtEnd = (event: SessionEvent) => event.type === "request-failed" && event.retryInMs === null;

/** What to show the user about an event besides the model's text: one line, or undefined. */
export function describeEvent(event: SessionEvent): string | undefined {
  switch (event.type) {
    case "tool-start":
      return intentLine(event.call) ?? `· ${callLine(event.call)}`;
    case "tool-end":
      return event.result.failed ? failureLine(event.result.text) : undefined;
    case "request-failed":
      return failedLine(event);
    case "response":
      return event.text.trim() === "" ? "the model's answer was empty" : undefined;
    case "history-replaced":
      return event.because === "compaction" ? undefined : "the images were left out of the conversation; trying again";
    case "prompt-refused":
      return `the prompt was refused: ${shortLine(event.because, 160)}`;
    case "child":
      return childLine(event);
    case "hook-failed":
      return `a ${event.hook} hook failed: ${shortLine(event.because, 160)}`;
    default:
      return judgedLine(event) ?? compactionLine(event);
  }
}

function failedLine({ because, retryInMs }: Extract<SessionEvent, { readonly type: "request-failed" }>): string {
  if (retryInMs === null) return `the model failed: ${shortLine(because, 300)}`;
  const retry = retryInMs === 0 ? "" : `; retrying in ${(retryInMs / 1000).toFixed(1)} s`;
  return `the model failed (${shortLine(because, 120)})${retry}`;
}

/** What somebody else than the model says about its work. */
function judgedLine(event: SessionEvent): string | undefined {
  switch (event.type) {
    case "gate-blocked":
      return `not finished (${event.gate}): ${shortLine(readGateReason(event.reason).verdict, 160)}`;
    case "gate-passed":
      return `${event.gate}: passed`;
    case "loop-noticed":
      return `no progress: ${event.because}; the model was told to try another way`;
    default:
      return undefined;
  }
}

/** What a sub-agent does, with its name and indented by its depth. What it says is for the agent that started it. */
function childLine(child: SessionEvent): string | undefined {
  const { agents, event } = eventOrigin(child);
  const line = event.type === "response" || event.type === "compaction-start" ? undefined : describeEvent(event);
  return line === undefined ? undefined : `${"  ".repeat(agents.length)}${agents.at(-1) ?? ""} ${line}`;
}

const REJECTED = "the user rejected this call: ";

/** A denial is shown whole, in words for a person. A rejection is what the user has just said. */
function failureLine(text: string): string | undefined {
  if (text.startsWith(REJECTED)) return undefined;
  // The line of the call already shows what a hook made of it.
  const [denial = ""] = text.split(`\n\n${CHANGED_CALL}`);
  if (text.startsWith("not allowed: ")) return `  denied: ${printable(denialForPerson(denial)).replaceAll("\n", " ")}`;
  return `  failed: ${shortLine(text, 160)}`;
}

const WORDS: Readonly<Partial<Record<SessionOutcome["reason"], string>>> = { "no-progress": "no progress" };

/** How a session ended, for a person: what a check printed, if it failed, then the verdict in one line. */
export function outcomeLines({ reason, because, gate = "acceptance" }: SessionEnd): readonly string[] {
  if (reason !== "gate-gave-up") return [`${WORDS[reason] ?? reason}: ${printable(because)}`];
  const [how = "", ...rest] = because.split(LAST_REASON);
  const { verdict, output } = readGateReason(rest.join(LAST_REASON));
  if (gate !== "acceptance") return [`not finished: ${printable(verdict)} (${printable(how)})`];
  const changed = changedCheckIn(verdict);
  return [
    ...(output === "" ? [] : [`the end of the check's output:\n${printable(output)}`]),
    ...(changed === undefined
      ? [`not accepted: ${printable(verdict)} (${printable(how)})`]
      : [
          `accepted by a changed check: ${printable(changed)} (${printable(how)})`,
          "fix: restore these files, or if the task was to change them: signalbox native --accept-changed GLOB",
        ]),
  ];
}

const LAST_REASON = "; its last reason: ";

const MAX_LINE = 100;

const MAX_PATTERN = 50;

/** The arguments that best describe a call, most descriptive first. */
const DESCRIPTIVE_KEYS = ["command", "pattern", "path", "url", "query", "question", "topic", "description"];

/** A call as one printable line, short by default. Line breaks are made visible. */
export function callLine({ name, input }: NamedCall, most = MAX_LINE): string {
  const intent = intentLine({ name, input });
  if (intent !== undefined) return intent;
  return shortLine(`${name} ${mainArgument(input).text}`.trim().replaceAll(/\s*\n\s*/g, " ⏎ "), most);
}

const MAX_INTENT = 200;

/** What the model says it will do next, which is a sentence and not a call that does something. */
function intentLine({ name, input }: NamedCall): string | undefined {
  const intent = name === "report_intent" && isRecord(input) ? input["intent"] : undefined;
  // The summary is shown whole, as the answer.
  if (name === "task_complete") return "says that the task is complete";
  return typeof intent === "string" ? `next: ${shortLine(intent, MAX_INTENT)}` : undefined;
}

/** The argument that best describes a call, and the remaining arguments. */
function mainArgument(input: unknown) {
  const fields = isRecord(input) ? input : {};
  const key = DESCRIPTIVE_KEYS.find((candidate) => typeof fields[candidate] === "string");
  if (key !== undefined) {
    const isSearch = key === "pattern" && typeof fields["path"] === "string";
    const text = isSearch ? search(fields) : String(fields[key]);
    const usedKeys = isSearch ? [key, "path"] : [key];
    return { text, others: Object.entries(fields).filter(([other]) => !usedKeys.includes(other)) };
  }
  const text = JSON.stringify(fields);
  return { text: text === "{}" ? "" : text, others: [] };
}

/** The path is where a search could do harm, so a long pattern must not push it off the line. */
function search({ pattern, path }: Readonly<Record<string, unknown>>): string {
  return typeof path === "string" && path !== "."
    ? `${shortLine(String(pattern), MAX_PATTERN)} in ${path}`
    : String(pattern);
}

const tokens = (count: number) => count.toLocaleString("en");

const TRIGGERS: Readonly<Record<CompactionTrigger, string>> = {
  background: "a summary is being written while it works on",
  blocking: "waiting for a summary",
  forced: "the provider takes no more; waiting for a summary",
  asked: "writing a summary",
};

/** What happened to a conversation that was being shortened; undefined for other events. */
export function compactionLine(event: SessionEvent): string | undefined {
  switch (event.type) {
    case "compaction-start":
      return `the conversation has ${tokens(event.tokens)} of ${tokens(event.limit)} tokens; ${TRIGGERS[event.trigger]}`;
    case "compaction-end":
      return `the conversation was shortened from ${tokens(event.tokensBefore)} to ${tokens(event.tokensAfter)} tokens; signalbox sessions dropped shows what was left out`;
    case "compaction-failed":
      return `the conversation was not shortened: ${shortLine(event.because, 200)}`;
    case "compaction-stopped":
      return shortLine(event.because, 200);
    default:
      return undefined;
  }
}

const MAX_CHARACTERS = 4000;
const MAX_LINES = 60;
/** For arguments that don't determine the action, such as a file's new content. */
const MAX_ARGUMENT = 400;
/** What certainly fits on the screen together with the question. */
const SCREEN_COLUMNS = 600;
const SCREEN_LINES = 12;

/** A call as the user must see it before it may run, safe to print. */
export interface ShownCall {
  readonly text: string;
  /** False if a part was left out; the text then says how much. */
  readonly whole: boolean;
}

export function showCall({ name, input }: NamedCall): ShownCall {
  const { text, others } = mainArgument(input);
  const shown = beginning(text);
  const [first = "", ...more] = shown.split("\n");
  // Every line has a marker, so that none can be mistaken for one of ours.
  const callText =
    more.length === 0 ? `${name}${first === "" ? "" : " "}${first}` : [name, first, ...more].join("\n  │ ");
  const left = text.slice(shown.length);
  const missing = left === "" ? [] : [`  ${notShown(left)}`];
  const otherLines = others.filter(isUnusual).map(([key, value]) => argumentLine(key, JSON.stringify(value)));
  return {
    text: [printable(callText), ...missing, ...otherLines.map((line) => line.text), ...sizeOfLong(text)].join("\n"),
    whole: left === "" && otherLines.every((line) => line.whole),
  };
}

/** Present in every call and without effect on what it does. */
const USUAL = [`mode:"sync"`, "timeout_seconds:120", "raw:false"];

const isUnusual = ([key, value]: readonly [string, unknown]) => !USUAL.includes(`${key}:${JSON.stringify(value)}`);

function beginning(text: string): string {
  return text.slice(0, MAX_CHARACTERS).split("\n").slice(0, MAX_LINES).join("\n");
}

function argumentLine(key: string, value: string): ShownCall {
  const left = value.slice(MAX_ARGUMENT);
  const text = `  ${printable(key).replaceAll("\n", "\\n")}: ${printable(value.slice(0, MAX_ARGUMENT))}`;
  return { text: left === "" ? text : `${text}${notShown(left)}`, whole: left === "" };
}

/** Whitespace could push the beginning off the screen, so the size is shown next to the question. */
function sizeOfLong(text: string): readonly string[] {
  const lines = text.split("\n").length;
  const columns = printable(text).replaceAll("\t", " ".repeat(8)).length;
  if (columns <= SCREEN_COLUMNS && lines <= SCREEN_LINES) return [];
  return [
    `  (${count(text.length)} characters, ${count(lines)} ${lines === 1 ? "line" : "lines"}: scroll up for the start)`,
  ];
}

const count = (amount: number) => amount.toLocaleString("en-US");

function notShown(left: string): string {
  const lines = left.split("\n").length - 1;
  return `… not shown: ${count(left.length)} more characters${lines === 0 ? "" : `, ${count(lines)} more lines`}`;
}
