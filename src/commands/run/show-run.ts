import { dollars, printable } from "../../lib/text/printable.ts";
import { statSync } from "node:fs";
import { type AgentEvent, isRefusedByAgent } from "../../contract/agent-event.ts";
import type { Processes, RunEnd, RunStep } from "../../receipts/run/run-setup.ts";
import { RUN_EXIT } from "../../contract/run-exit.ts";
import { readGateReason } from "../../contract/gate-reason.ts";
import { denialForPerson } from "../../guard/explain.ts";
import { toolKind } from "../../guard/judge/tool-call.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { say } from "../../lib/process/standard-streams.ts";
import { shQuote } from "../../lib/text/shell-words.ts";
import type { TimerLine } from "../../lib/process/timer-line.ts";
import { EXIT } from "../../lib/text/user-error.ts";
import { printLine } from "../flags.ts";

/**
 * Shows the events of a run: one JSON event per line, or the agent's text on stdout and everything else on stderr, with
 * a line that counts the seconds in between.
 */
export function runShower(json: boolean, waiting: TimerLine, checking: TimerLine): RunShower {
  if (json) return { show: jsonShower(), showCheck: (run) => run };
  const started = performance.now();
  const state: Shown = { inText: false, deniedSaid: false, command: undefined, error: undefined, checkOutput: "" };
  const show = async (step: RunStep) => {
    waiting.stop();
    if (step.type === "run-start") say(`run ${step.runId} in ${step.root}`);
    else if (step.type === "event") showEvent(step, state, started);
    else showEnd(step, state);
    // Text of the agent that has no line break yet must not be overwritten.
    if (step.type !== "run-end" && !state.inText) waiting.start();
  };
  const showCheck =
    (run: RunCheck): RunCheck =>
    async (check) => {
      waiting.stop();
      endText(state);
      checking.start();
      try {
        return await run(check);
      } finally {
        checking.stop();
      }
    };
  return { show, showCheck };
}

type RunCheck = Processes["runCheck"];

interface RunShower {
  readonly show: (step: RunStep) => Promise<void>;
  /** Runs checks with a line that says so, because then nobody waits for the agent. */
  readonly showCheck: (run: RunCheck) => RunCheck;
}

function endText(state: Shown): void {
  if (state.inText) process.stdout.write("\n");
  state.inText = false;
}

interface Shown {
  inText: boolean;
  deniedSaid: boolean;
  /** The shell command of the last call. */
  command: string | undefined;
  /** An error that is not shown yet, because it may be the last one. */
  error: string | undefined;
  /** What the last check that failed printed. It is shown once, at the end. */
  checkOutput: string;
}

/** The last line also says where the receipt is. The receipt cannot hold its own hash, so its copy of the line lacks it. */
function jsonShower(): (step: RunStep) => Promise<void> {
  let last: AgentEvent | undefined;
  return async (step) => {
    if (step.type === "run-end" && last !== undefined) {
      const { runId: run_id, receiptFile: receipt_file, receipt } = step;
      const { receipt_sha256 } = receipt;
      await printLine({ ...last, ext: { ...last.ext, run_id, receipt_sha256, receipt_file } });
    } else if (step.type === "event" && step.event.type === "run_completed") last = step.event;
    else if (step.type === "event") await printLine(step.event);
  };
}

const MAX_SHOWN = 160;

function showEvent({ event, progress }: ShownEvent, state: Shown, started: number): void {
  const text = "text" in event ? printable(event.text) : "";
  if (event.type === "assistant_delta") {
    state.inText = true;
    process.stdout.write(text);
    return;
  }
  const streamed = state.inText;
  endText(state);
  if (event.type !== "run_completed") sayError(state);
  if (event.type === "assistant_message" && text !== "" && !streamed) process.stdout.write(`${text}\n`);
  if (event.type === "tool_call") {
    state.command = commandIn(event);
    say(callLine(event, progress, started));
  }
  if (event.type === "warning" || event.type === "error") showProblem(event, state);
  // Hosts that ask us themselves have already sent a warning; agents with our hooks only mention it in the result.
  if (event.type === "tool_result" && !state.deniedSaid) showDenial(event, state);
  state.deniedSaid = event.type === "warning" && event.message.startsWith(DENIED);
}

function showDenial(event: Extract<AgentEvent, { type: "tool_result" }>, state: Shown): void {
  const reason = denialIn(event.output);
  if (reason !== undefined) say(isRefusedByAgent(event) ? `denied: ${reason}` : denial(reason, state));
}

type ShownEvent = Extract<RunStep, { type: "event" }>;

function callLine(
  { tool_name: tool, input }: Extract<AgentEvent, { type: "tool_call" }>,
  { turns, tokens, costUsd }: ShownEvent["progress"],
  started: number,
): string {
  const seconds = Math.round((performance.now() - started) / 1000);
  const used = [...(tokens > 0 ? [`${tokens} tokens`] : []), ...(costUsd > 0 ? [dollars(costUsd)] : [])];
  return `${[`turn ${turns}`, `${seconds} s`, ...used].join(", ")}: ${tool} ${JSON.stringify(input).slice(0, MAX_SHOWN)}`;
}

const DENIED = "tool denied: ";
const NOT_FINISHED = /^(not finished \([\w-]+\)|[\w-]+ gave up|round \d+ of \d+ not accepted): /;

/** One line for every attempt of a check, and for a denial what the model was told in words for a person. */
function showProblem(event: Extract<AgentEvent, { type: "warning" | "error" }>, state: Shown): void {
  const { type, message } = event;
  const [start, what] = NOT_FINISHED.exec(message) ?? [];
  if (message.startsWith(DENIED)) say(denial(message.slice(DENIED.length), state));
  else if (start !== undefined) {
    const { verdict, output } = readGateReason(message.slice(start.length));
    say(`${what}: ${verdict}`);
    state.checkOutput = output;
  } else if (type === "error" && NOT_ACCEPTED.test(message)) {
    sayLastRound(message);
    state.checkOutput = restOf(message);
  } else if (type === "error") state.error = message;
  else say(`${type}: ${message}`);
}

/** The error before, unless it is what the run ended with: then its last line has it. */
function sayError(state: Shown, because = ""): void {
  const { error } = state;
  if (error !== undefined && (error.includes("\n") || !because.includes(error))) say(`error: ${error}`);
  state.error = undefined;
}

function commandIn({ tool_name: tool, input }: Extract<AgentEvent, { type: "tool_call" }>): string | undefined {
  const command = toolKind(tool) === "shell" && isRecord(input) ? input["command"] : undefined;
  return typeof command === "string" ? command : undefined;
}

/** Why a call did not run, and the command that explains it. One that does not fit on a line is in the receipt. */
function denial(reason: string, { command }: Shown): string {
  const said = `denied: ${denialForPerson(reason)}`;
  const isShort = command !== undefined && command.length <= MAX_SHOWN && printable(command) === command;
  return isShort ? `${said}; why, and how to allow it: signalbox guard explain ${shQuote(command)}` : said;
}

/** The end of the run says this again. */
const NOT_ACCEPTED = /^claimed done, not accepted(?: after (?<rounds>\d+) rounds)?: /;

/** The last attempt gets a line like those before it. */
function sayLastRound(message: string): void {
  const { rounds } = NOT_ACCEPTED.exec(message)?.groups ?? {};
  const [line = ""] = message.replace(NOT_ACCEPTED, "").split("\n");
  if (rounds !== undefined) say(`round ${rounds} of ${rounds} not accepted: ${line}`);
}

const restOf = (text: string) => text.split("\n").slice(1).join("\n");

/** Why a call did not run; undefined when it did. */
function denialIn(output: unknown): string | undefined {
  if (!isRecord(output) || output["denied"] !== true) return undefined;
  return typeof output["reason"] === "string" ? output["reason"] : "no reason given";
}

/** The files that decide a check and are changed after the last round, one per line. */
function changedCheckLines(acceptance: RunEnd["facts"]["acceptance"]): readonly string[] {
  const last = acceptance.filter(({ round }) => round === acceptance.at(-1)?.round);
  return last.flatMap(({ base }) => {
    const what = base?.because === null ? "the check passes without this change too" : "the check was changed";
    return base?.changed.map(({ path, how }) => `${what}: ${path} (${how})`) ?? [];
  });
}

/** What the check printed last. Where the run ended for another reason, the rest of that is not the check's. */
function lastOutput({ exitCode, because }: RunEnd, before: string): string {
  const isAboutCheck = exitCode === RUN_EXIT.notAccepted || exitCode === RUN_EXIT.changedCheck;
  return (isAboutCheck ? restOf(because) : "") || before;
}

const WORKED: readonly string[] = ["tool_call", "assistant_message", "assistant_delta"];

function showEnd(end: Extract<RunStep, { type: "run-end" }>, state: Shown): void {
  const { checkOutput } = state;
  sayError(state, end.because);
  const { held, calls_not_held: calls } = end.facts.guard;
  if (!held && end.receipt.trace.some(({ type }) => WORKED.includes(type)))
    say(
      calls.length === 0
        ? "this host does not send every tool call to the guard"
        : `${calls.length} tool ${calls.length === 1 ? "call was" : "calls were"} not judged before running`,
    );
  const apply = `signalbox apply ${end.runId}`;
  if (end.patch !== undefined && statSync(end.patch).size > 0)
    say(
      end.exitCode === EXIT.ok
        ? `apply the result with: ${apply}`
        : `the result is kept; to apply it anyway: ${apply} --unaccepted`,
    );
  const output = lastOutput(end, checkOutput);
  if (output !== "" && end.exitCode !== EXIT.ok) say(`the end of the check's output:\n${output}`);
  for (const line of changedCheckLines(end.facts.acceptance)) say(line);
  say(`${end.receipt.outcome}: ${end.because.split("\n")[0] ?? ""}`);
  if (end.exitCode === RUN_EXIT.changedCheck)
    say("fix: restore these files, or if the task was to change them: signalbox run --accept-changed GLOB");
  if (end.fix !== undefined) say(`fix: ${end.fix}`);
  say(`receipt ${end.receipt.receipt_sha256 ?? ""}; signalbox receipt show ${end.runId}`);
}
