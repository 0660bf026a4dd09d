import { stripVTControlCharacters } from "node:util";
import { shortLine } from "../../lib/text/printable.ts";
import type { OutputPart, OutputWindow } from "../../sandbox/run/output-window.ts";
import type { CommandEnd } from "../../sandbox/run/start-command.ts";

/** Maximum characters of a command's output that a model sees. */
const MAX_HEAD = 10_000;

const MAX_TAIL = 20_000;

/** Output for a model: no colours, no overwritten progress lines, no binary data, and limited in length. */
export function showOutput(part: OutputPart, file: string): string {
  const { head, tail, lost, total, savedBytes } = part;
  if (isBinary(head)) return `(${total} bytes of binary data; ${where(file, savedBytes, total)})`;
  const whole = lost === 0 ? clean(Buffer.concat([head, tail])) : undefined;
  if (whole !== undefined && whole.length <= MAX_HEAD + MAX_TAIL) return whole;
  const begin = (whole ?? clean(head)).slice(0, MAX_HEAD);
  const end = (whole ?? clean(tail)).slice(-MAX_TAIL);
  return `${upToLine(begin)}\n[… omitted; ${total} bytes in total, ${where(file, savedBytes, total)} …]\n${fromLine(end)}`;
}

const MAX_LINE = 200;

/** The last line with text in the end of an output, for people; undefined when there is none or it is binary. */
export function lastLine(recent: Buffer): string | undefined {
  if (isBinary(recent)) return undefined;
  const line = clean(recent)
    .split("\n")
    .findLast((text) => text.trim() !== "");
  // The first bytes may be the rest of a character.
  return line === undefined ? undefined : shortLine(line.replace(/^\ufffd+/, ""), MAX_LINE);
}

const MAX_LINES = 20;

/** The last lines of an output that is not binary, for people. */
const lastLines = (recent: Buffer): string =>
  clean(recent)
    .replace(/^\ufffd+/, "")
    .trimEnd()
    .split("\n")
    .slice(-MAX_LINES)
    .join("\n");

const where = (file: string, savedBytes: number, total: number) =>
  savedBytes < total ? `the first ${savedBytes} of them are in ${file}` : `all of them are in ${file}`;

const clean = (bytes: Buffer) =>
  stripVTControlCharacters(bytes.toString("utf8")).split("\n").map(lastWritten).join("\n").replace(CONTROL, "");

/**
 * What a terminal would show of an overwritten line. Uses a search instead of a regular expression, because lines can
 * be very long.
 */
function lastWritten(line: string): string {
  const ended = line.endsWith("\r") ? line.slice(0, -1) : line;
  return ended.slice(ended.lastIndexOf("\r") + 1);
}

/** Remaining control characters, except tab and line feed. */
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

/**
 * A cut moves to the end of a line when that costs no more than this; otherwise it goes through the line and says so.
 */
const NEAR = 500;

function upToLine(text: string): string {
  const end = text.lastIndexOf("\n");
  return end !== -1 && text.length - end <= NEAR
    ? text.slice(0, end)
    : `${text.replace(/[\ud800-\udbff]$/, "")}[… line cut]`;
}

function fromLine(text: string): string {
  const end = text.indexOf("\n");
  return end !== -1 && end < NEAR ? text.slice(end + 1) : `[line cut …]${text.replace(/^[\udc00-\udfff]/, "")}`;
}

const SAMPLE = 8192;

/** A zero byte, or more broken characters than a cut inside one would explain. */
function isBinary(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, SAMPLE);
  if (sample.includes(0)) return true;
  const broken = new TextDecoder().decode(sample).split("\ufffd").length - 1;
  return broken > 3 && broken * 20 > sample.length;
}

/** What a model must know about how a command ended; empty when it succeeded quickly. */
export function describeEnd(end: CommandEnd, milliseconds = 0): readonly string[] {
  const { code, signal, leftovers, stubborn, background = 0 } = end;
  const seconds = milliseconds > 10_000 ? [`took ${Math.round(milliseconds / 1000)} s`] : [];
  return [
    ...(signal !== null ? [`ended by ${signal}`] : code === 0 ? [] : [`exit code ${code ?? "unknown"}`]),
    ...seconds,
    ...(leftovers > 0
      ? [`${leftovers} of its processes were still running and were ended; use mode async to keep them`]
      : []),
    ...(stubborn > 0 ? [`${stubborn} of its processes cannot be ended`] : []),
    ...(background > 0 ? [`${background} of its processes keep running until this session ends`] : []),
  ];
}

/** Often enough to look live, and few enough events for a log or an editor. */
const EVERY_MS = 250;

/**
 * Passes the last line of a command's output and the lines before it on whenever it has changed, until disposed. A
 * short command shows nothing.
 */
export function showProgress(
  output: Pick<OutputWindow, "recent">,
  progress: (line: string, recent: string) => void,
): Disposable {
  let seen = output.recent();
  let shown: string | undefined;
  const timer = setInterval(() => {
    const recent = output.recent();
    if (recent === seen) return;
    seen = recent;
    const line = lastLine(recent);
    if (line === undefined || line === shown) return;
    shown = line;
    progress(line, lastLines(recent));
  }, EVERY_MS).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
