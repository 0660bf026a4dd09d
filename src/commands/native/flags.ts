import { isUtf8 } from "node:buffer";
import { once as onceEvent } from "node:events";
import type { Command } from "commander";
import { readStdin, stdinKind } from "../../launch/read-prompt.ts";
import { randomId } from "../../lib/files/random-id.ts";
import { matchesSegment } from "../../lib/path/glob.ts";
import { say } from "../../lib/process/standard-streams.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { errorCode, isUserError, UserError } from "../../lib/text/user-error.ts";
import type { LoadedSettings } from "../../native/settings/settings-files.ts";
import { TOOL_NAMES } from "../../native/tools/tool-names.ts";
import { check, once, textsFlag } from "../flags.ts";

const many = (value: string, before: readonly string[] = []) => [...before, value];

const onceChecked = (value: string, before: string | undefined) => once(check(value), before);

/** The flags of every command that starts the engine. */
export function engineFlags(command: Command): Command {
  return addSkillFlags(command)
    .option("--model <name>", "provider/model (default: SIGNALBOX_MODEL, then settings.yaml)", once)
    .option("--effort <level>", "how much the model thinks: low, medium, high or max", once)
    .option("--base-url <url>", "base URL of the provider, for your own server", once)
    .option("--autopilot", "work on until it says that the task is complete; nobody is asked")
    .option("--accept <command>", "the task is done only when this command succeeds", onceChecked)
    .option("--accept-keep <glob>", "these files decide the check too (may be repeated)", many)
    .option("--accept-changed <glob>", "files of the check that the task may change (may be repeated)", many)
    .option("--accept-timeout <seconds>", "time limit for it (default: 600)", once)
    .option("--max-turns <number>", "stop after this many turns of the session", once)
    .option("--max-cost <dollars>", "stop when the session has cost this much", once)
    .option("--timeout <seconds>", "stop after this time", once)
    .option("--model-idle <seconds>", "how long the model may stay silent (default: 300)", once)
    .option("--allow-tool <glob>", "offer only these tools (may be repeated)", many)
    .option("--deny-tool <glob>", "do not offer these tools (may be repeated)", many)
    .option("--policy <file>", "use this policy as the user's own", once)
    .option("--preset <name>", "start from this preset: default, read-only, ci or none", once)
    .option("--require-sandbox", "refuse to start where commands cannot run in a sandbox")
    .option("--plain", "on a terminal: lines only, for screen readers and logs")
    .option("--json", "print every event as a line of JSON");
}

export function addSkillFlags(command: Command): Command {
  return command
    .option("--skill-directory <folder>", "offer the skills in this folder too (may be repeated)", many)
    .option("--disable-skill <name>", "do not offer this skill (may be repeated)", many);
}

/** What these flags and the settings files say together. */
export const skillSettings = (flags: Readonly<Record<string, unknown>>, files: LoadedSettings["skills"]) => ({
  directories: [...textsFlag(flags, "skillDirectory"), ...files.directories],
  disabled: [...textsFlag(flags, "disableSkill"), ...files.disabled],
});

/** A misspelled name would silently allow nothing, or deny nothing. */
export function refuseUnknownTools(flags: Readonly<Record<string, unknown>>): void {
  for (const flag of ["allowTool", "denyTool"]) {
    const unknown = textsFlag(flags, flag).find(
      (pattern) => !pattern.startsWith("mcp_") && !TOOL_NAMES.some((name) => matchesSegment(pattern, name)),
    );
    if (unknown === undefined) continue;
    const meant = nearest(unknown, TOOL_NAMES);
    throw new UserError(`unknown tool "${unknown}"`, {
      where: flag === "allowTool" ? "--allow-tool" : "--deny-tool",
      fix: meant === undefined ? `the tools are ${TOOL_NAMES.join(", ")}` : `did you mean ${meant}?`,
    });
  }
}

/**
 * How long the first byte may take. A shell connects its commands with pipes, and the one before us may be slow.
 * A socket is what Node gives its children by default, usually without ever writing to it.
 */
const FIRST_BYTE_MS = { pipe: 3000, socket: 500 };

/**
 * What is piped in beside a task; undefined if nothing is. A pipe that stays silent, as in many CI systems, is left
 * alone after a while, so that it cannot hold up the task for ever; what arrives later is reported but not read.
 */
export async function readPipedInput(): Promise<Buffer | undefined> {
  const kind = stdinKind();
  if (kind === undefined) return undefined;
  if (kind === "file" || (await startsWithin(FIRST_BYTE_MS[kind]))) return await waitForPipedInput();
  reportLateInput();
  return undefined;
}

/** All of stdin, however long it takes. */
export async function waitForPipedInput(): Promise<Buffer> {
  try {
    return await readStdin("reading piped input until it ends (Ctrl-C stops)");
  } catch (cause) {
    if (isUserError(cause)) throw cause;
    const fix = "pass the input by --prompt-file, or none: < /dev/null";
    throw new UserError(`cannot read the piped input (${errorCode(cause) ?? String(cause)})`, { fix, cause });
  }
}

/** True when stdin has data, has ended or has failed in time. */
async function startsWithin(milliseconds: number): Promise<boolean> {
  const patience = AbortSignal.timeout(milliseconds);
  // What failed is found again by whoever reads.
  await onceEvent(process.stdin, "readable", { signal: patience }).catch(() => undefined);
  return process.stdin.readableLength > 0 || !patience.aborted;
}

/** Neither an idle pipe nor a full one may keep the process alive. */
function reportLateInput(): void {
  const { stdin } = process;
  stdin.on("error", () => {});
  stdin.once("data", () => {
    say("piped input came too late and is ignored; signalbox native --prompt-file - waits for it");
    stdin.destroy();
  });
  stdin.resume();
  if ("unref" in stdin) stdin.unref();
}

/** A task and what was piped in beside it, as one prompt. An empty one of the two adds nothing. */
export function joinPiped(task: Buffer | undefined, piped: Buffer | undefined): Buffer | undefined {
  if (piped === undefined || isBlank(piped)) return task;
  if (!isUtf8(piped)) {
    const fix = "convert it, for example with iconv; save binary data to a file and name the file in the task";
    throw new UserError("the piped input is not valid UTF-8", { where: "stdin", fix });
  }
  if (task === undefined || isBlank(task)) return piped;
  // The piped text must not be able to end its own part of the prompt.
  let mark = "stdin";
  while (piped.includes(`</${mark}`)) mark = `stdin-${randomId().slice(0, 8)}`;
  const end = piped.at(-1) === LINE_FEED ? "" : "\n";
  return Buffer.concat([task, Buffer.from(`\n\n<${mark}>\n`), piped, Buffer.from(`${end}</${mark}>`)]);
}

const LINE_FEED = 10;

const SPACE = 32;

const isBlank = (text: Buffer) => !text.some((byte) => byte > SPACE);
