import { printable } from "../../lib/printable.ts";
import { type ChangedFile, fileDetail, lineCounts } from "./changed-files.ts";
import type { ReceiptStory } from "./story.ts";

const MAX_FILES = 50;
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
    list(`Files changed${files.length === 0 ? "" : ` (${lineCounts(files)})`}`, fileList(files)),
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
  const lines = files.slice(0, MAX_FILES).map((file) => `${file.letter} ${code(file.path)} ${fileDetail(file)}`.trim());
  return files.length > MAX_FILES ? [...lines, `${files.length - MAX_FILES} more`] : lines;
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
