import { firstFew, printable } from "../../lib/text/printable.ts";
import { wrapLines } from "../../lib/text/wrap-lines.ts";
import { type ChangedFile, fileDetail, lineCounts, type ReceiptStory } from "./story.ts";

/** How a story is laid out. Without a width, lines are as long as their text. */
interface Layout {
  readonly width?: number | undefined;
  readonly paint: (colour: "green" | "red" | "yellow", text: string) => string;
}

const MAX_TEXT_LINES = 6;

const MAX_FILES = 12;

const INDENT = 11;

/** The story of a receipt for a terminal, with the commands that show more. Safe to print. */
export function storyText(story: ReceiptStory, restorable: boolean, layout: Layout): string {
  const rows: readonly Row[] = [
    ["task", firstLines(story.task)],
    ["agent", [story.agent]],
    ["outcome", [story.outcome], story.good ? "green" : "red"],
    ...story.checks.map(({ command, passed, end }): Row => ["check", [`${end}: ${command}`], passed ? "green" : "red"]),
    ...story.denied.map(({ call, because }): Row => ["denied", [...firstLines(call), because], "yellow"]),
    ["denied", more(story.deniedUnseen, "that the agent's record does not show")],
    ["files", fileLines(story.files)],
    ["calls", [callCounts(story)]],
    ["guarded", [story.guarded]],
    ["contained", [story.contained]],
    ["network", [story.network]],
    ["cost", [story.cost]],
    ["time", [story.time]],
    ["run", [story.runId]],
    ["hash", [story.hash]],
    ["verify", [`signalbox receipt verify ${story.name}`]],
    ["diff", story.diff === "" ? [] : [`signalbox receipt show ${story.name} --diff`]],
    ["restore", restorable ? [`signalbox runs restore ${story.name}`] : []],
  ];
  return rows.map((row) => rowText(row, layout)).join("");
}

type Row = readonly [label: string, lines: readonly string[], colour?: "green" | "red" | "yellow"];

function rowText([label, lines, colour]: Row, { width, paint }: Layout): string {
  const text = lines.filter((line) => line !== "");
  const shown = text.flatMap((line) => {
    const safe = printable(line);
    return width === undefined ? safe.split("\n") : wrapLines(safe, Math.max(20, width - INDENT));
  });
  return shown
    .map((line, at) => {
      const painted = colour !== undefined && at === 0 ? paint(colour, line) : line;
      return `${(at === 0 ? label : "").padEnd(INDENT)}${painted}\n`;
    })
    .join("");
}

const more = (count: number, what: string) => (count <= 0 ? [] : [`… ${count} more ${what}`]);

function firstLines(text: string): readonly string[] {
  const lines = text.trim().split("\n");
  return [...lines.slice(0, MAX_TEXT_LINES), ...more(lines.length - MAX_TEXT_LINES, "lines")];
}

/** How many calls there were, by tool. */
function callCounts({ calls }: ReceiptStory): string {
  const tools = Object.entries(Object.groupBy(calls, ({ tool }) => tool));
  const counted = tools.map(([tool, made]) => `${tool} ${made?.length ?? 0}`);
  return calls.length === 0 ? "none" : `${calls.length}: ${counted.join(", ")}`;
}

function fileLines(files: readonly ChangedFile[] | undefined): readonly string[] {
  if (files === undefined) return ["the receipt does not say what changed"];
  if (files.length === 0) return ["none changed"];
  const lines = files.slice(0, MAX_FILES).map(fileLine);
  const whole = `${files.length} changed, ${lineCounts(files)}`.replace(/, $/, "");
  return files.length === 1 ? lines : [whole, ...lines, ...more(files.length - MAX_FILES, "files")];
}

/** `M src/a.ts +3 -1`, not safe to print. */
export const fileLine = (file: ChangedFile) => `${file.letter} ${file.path} ${fileDetail(file)}`.trimEnd();

const MAX_LISTED = 50;

const MAX_DIFF = 40_000;

/**
 * The story of a receipt for a pull request. Everything that an agent or a person wrote is in code, so it can neither
 * format the page nor mention anybody.
 */
export function storyMarkdown(story: ReceiptStory, withDiff: boolean): string {
  const { denied, deniedUnseen, files = [], checks } = story;
  const facts: readonly (readonly [string, string])[] = [
    ["Agent", words(story.agent)],
    ["Guarded", words(story.guarded)],
    ["Contained", words(story.contained)],
    ["Network", words(story.network)],
    ["Cost", words(story.cost)],
    ["Time", words(story.time)],
    ["Receipt", `run ${code(story.runId)}, SHA-256 ${code(story.hash)}`],
    ["Verify", `${code(`signalbox receipt verify ${story.name}`)} on the machine that ran it`],
  ];
  const parts = [
    // Only a check earns the mark; the agent's word does not.
    `### ${story.good ? (checks.length === 0 ? "" : "✅ ") : "❌ "}Agent run`,
    words(story.outcome),
    fence(story.task, "text"),
    list(
      "Checks",
      checks.map(({ command, passed, end }) => `${passed ? "✅" : "❌"} ${code(command)} ${end}`),
    ),
    list("Denied calls", [
      ...denied.map(({ call, because }) => `${code(call)}: ${code(because)}`),
      ...(deniedUnseen === 0 ? [] : [`${deniedUnseen} more that the agent's record does not show`]),
    ]),
    list(`Files changed${lineCounts(files) === "" ? "" : ` (${lineCounts(files)})`}`, fileList(files)),
    list(
      "",
      facts.filter(([, text]) => text !== "").map(([label, text]) => `${label}: ${text}`),
    ),
    withDiff && story.diff !== ""
      ? `<details><summary>Diff</summary>\n\n${fence(cut(story.diff), "diff")}\n\n</details>`
      : "",
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function fileList(files: readonly ChangedFile[]): readonly string[] {
  const lines = files.map((file) => `${file.letter} ${code(file.path)} ${fileDetail(file)}`.trim());
  return firstFew(lines, MAX_LISTED, (more) => `${more} more`);
}

const list = (title: string, lines: readonly string[]) =>
  lines.length === 0
    ? ""
    : [...(title === "" ? [] : [`**${title}**`, ""]), ...lines.map((line) => `- ${line}`)].join("\n");

/** Our own words as they are; as code when something in them could mean more. */
const words = (text: string) => (/^[A-Za-z0-9 ,;:.$()-]*$/.test(text) && !text.includes("www.") ? text : code(text));

/** Text as inline code, on one line; nothing for no text. */
function code(text: string): string {
  const line = printable(text).replaceAll(/\s+/g, " ").trim();
  if (line === "") return "";
  const mark = "`".repeat(longestTicks(line) + 1);
  return line.startsWith("`") || line.endsWith("`") ? `${mark} ${line} ${mark}` : `${mark}${line}${mark}`;
}

function fence(text: string, language: string): string {
  const mark = "`".repeat(Math.max(3, longestTicks(text) + 1));
  return `${mark}${language}\n${printable(text).trimEnd()}\n${mark}`;
}

const longestTicks = (text: string) => Math.max(0, ...(text.match(/`+/g) ?? []).map((ticks) => ticks.length));

/** GitHub accepts 65,536 characters in a comment. */
const cut = (diff: string) =>
  diff.length <= MAX_DIFF ? diff : `${diff.slice(0, MAX_DIFF)}\n… ${diff.length - MAX_DIFF} more characters`;
