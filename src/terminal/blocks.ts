import type { ModelCall, ToolDeed, ToolEnd } from "../contract/engine-event.ts";
import { isRecord } from "../lib/json/json-value.ts";
import { printable } from "../lib/text/printable.ts";
import { unifiedDiff } from "../lib/text/unified-diff.ts";
import { diffLine } from "./highlight.ts";
import { cut, widthOf, wrapped } from "./screen.ts";
import type { Style } from "./style.ts";

/** A call that is running or has ended, as a short block. */
export interface CallBlock {
  readonly call: ModelCall;
  /** The call in one line, safe to print. */
  readonly line: string;
  /** What it has printed last. */
  recent: string;
  readonly started: number;
  end?: { readonly event: ToolEnd; readonly ms: number; readonly told: string | undefined } | undefined;
}

const LIVE_LINES = 5;
const DONE_LINES = 3;
const FAILED_LINES = 10;
const MAX_COMMAND_LINES = 4;
const MAX_DIFF_LINES = 24;
const MAX_MESSAGE = 1_000;

/** A block while its call runs: its command, and the last lines that it has printed. */
export function runningBlock(block: CallBlock, { width, style, now }: BlockView): readonly string[] {
  const seconds = Math.floor((now - block.started) / 1000);
  const time = seconds < 1 ? "" : style.dim(` ${seconds} s`);
  const lines = textLines(block.recent).slice(-LIVE_LINES);
  return [...headLines(block, style.cyan("•"), { width, style, time }), ...outputLines(lines, width, style)];
}

export interface BlockView {
  readonly width: number;
  readonly style: Style;
  readonly now: number;
  /** Show everything that is known. */
  readonly isWhole?: boolean;
}

/** A block whose call has ended: how it ended, and the end of its output or the change that it made. */
export function doneBlock(block: CallBlock, { width, style, isWhole = false }: BlockView): readonly string[] {
  if (block.end === undefined) return [];
  const { event, ms, told } = block.end;
  const { result, deeds } = event;
  const mark = result.failed ? style.red("✗") : style.green("•");
  const how = [exitOf(deeds), ms >= 1000 ? `${(ms / 1000).toFixed(1)} s` : ""].filter((part) => part !== "");
  const time = how.length === 0 ? "" : style.dim(` ${how.join(" · ")}`);
  const head = headLines(block, mark, { width, style, time, isWhole });
  const changes = deeds.filter((deed) => deed.kind === "write");
  if (changes.length > 0 && !result.failed)
    return [...head, ...changes.flatMap((deed) => [...changeLines(deed, { width, style, isWhole, now: 0 })])];
  if (told?.trimStart().startsWith("denied: ") === true)
    return [...head, ...wrapped(style.red(told.trim()), width - 2).map((line) => `  ${line}`)];
  if (!isWhole && !result.failed && !SHOWS_OUTPUT.has(result.name)) return head;
  return [...head, ...foldedOutput(event, { width, style, isWhole })];
}

/** What other tools return is for the model. */
const SHOWS_OUTPUT = new Set(["bash", "read_bash", "stop_bash"]);

/** Whether `isWhole` shows more. */
export function isFolded({ end }: CallBlock): boolean {
  if (end === undefined) return false;
  const { result, deeds } = end.event;
  const diff = deeds.reduce((sum, deed) => sum + (deed.kind === "write" ? diffText(deed).length : 0), 0);
  const most = result.failed ? FAILED_LINES : SHOWS_OUTPUT.has(result.name) ? DONE_LINES : 0;
  return deeds.some(({ kind }) => kind === "write") ? diff > MAX_DIFF_LINES : textLines(result.text).length > most;
}

interface Head {
  readonly width: number;
  readonly style: Style;
  readonly time: string;
  readonly isWhole?: boolean;
}

function headLines({ call, line }: CallBlock, mark: string, { width, style, time, isWhole }: Head): readonly string[] {
  const command = call.name === "bash" && isRecord(call.input) ? call.input["command"] : undefined;
  if (typeof command !== "string") {
    const [name = "", ...rest] = line.split(" ");
    return wrapped(`${style.bold(name)} ${rest.join(" ")}${time}`, width - 2).map((each, index) =>
      index === 0 ? `${mark} ${each}` : `  ${each}`,
    );
  }
  const lines = printable(command)
    .split("\n")
    .flatMap((each) => [...wrapped(each.replaceAll("\t", "  "), width - 4)]);
  const most = isWhole === true ? lines.length : MAX_COMMAND_LINES;
  const left = lines.length - most;
  return lines.slice(0, most).map((each, index, all) => {
    const end = index === all.length - 1 ? `${left > 0 ? style.dim(` … ${left} more lines`) : ""}${time}` : "";
    const text = cut(each, Math.max(1, width - 4 - widthOf(end)));
    return `${index === 0 ? `${mark} ${style.bold("$")}` : "   "} ${style.bold(text)}${end}`;
  });
}

const exitOf = (deeds: readonly ToolDeed[]) => {
  const command = deeds.find((deed) => deed.kind === "command");
  if (command?.kind !== "command") return "";
  return command.exitCode === null || command.exitCode === 0 ? "" : `exit ${command.exitCode}`;
};

const textLines = (text: string) =>
  text.trim() === "" ? [] : printable(text.replaceAll(/\r+\n/g, "\n")).replaceAll("\t", "  ").trimEnd().split("\n");

function outputLines(lines: readonly string[], width: number, style: Style): readonly string[] {
  return lines.map((line) => style.dim(cut(`  │ ${line}`, width)));
}

function foldedOutput({ result }: ToolEnd, { width, style, isWhole }: Omit<BlockView, "now">): readonly string[] {
  // The exit code stands beside the command.
  const lines = textLines(result.text).filter((line) => !/^\[exit code \d+\]$/.test(line));
  // One long line is a message of ours.
  if (isWhole === true || (result.failed && lines.length <= 2 && result.text.length < MAX_MESSAGE))
    return lines.flatMap((line) => wrapped(line, width - 4).map((each) => `${style.dim("  │")} ${each}`));
  const most = result.failed ? FAILED_LINES : DONE_LINES;
  const left = lines.length - most;
  const more = left > 0 ? [style.dim(cut(`  │ … ${left} more lines (ctrl-o shows them)`, width))] : [];
  return [...more, ...outputLines(left > 0 ? lines.slice(-most) : lines, width, style)];
}

type Write = Extract<ToolDeed, { readonly kind: "write" }>;

const diffText = ({ path, before, after }: Write) =>
  unifiedDiff(before ?? "", after, path)
    .trimEnd()
    .split("\n")
    .slice(2);

/** The change of a file. Whole where it is short: what an agent writes is what a person wants to see. */
function changeLines(deed: Write, { width, style, isWhole }: BlockView): readonly string[] {
  const lines = diffText(deed);
  const added = lines.filter((line) => line.startsWith("+")).length;
  const removed = lines.filter((line) => line.startsWith("-")).length;
  const count =
    style.dim(`  ${deed.before === null ? "new file, " : ""}`) + style.green(`+${added}`) + style.red(` -${removed}`);
  const most = isWhole === true ? lines.length : MAX_DIFF_LINES;
  const left = lines.length - most;
  const shown = lines
    .slice(0, most)
    .map((line) => `  ${diffLine(cut(printable(line).replaceAll("\t", "  "), width - 2), style)}`);
  return [count, ...shown, ...(left > 0 ? [style.dim(cut(`  … ${left} more lines (ctrl-o shows them)`, width))] : [])];
}
