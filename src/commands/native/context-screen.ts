import { printableLine } from "../../lib/printable.ts";
import { shortLine } from "../../lib/short-line.ts";
import type { ContextView } from "../../hosts/native/context-view.ts";

const WIDTH = 80;
const MAX_ROWS = 40;

/** The context of a folder on a terminal: what is loaded, when, what is left out and why, and what it costs. */
export function contextScreen(view: ContextView): string {
  const { workspace, loaded, skills, memory, notLoaded, parts, tokens } = view;
  const start = loaded.filter(({ when }) => when === "start");
  const touch = loaded.filter(({ when }) => when === "touch");
  const sections = [
    [`What signalbox native starts with in ${printableLine(workspace)}`],
    section("Instructions, from the start", start.map(instructionRow), "none found"),
    section(
      "Instructions, when a matching file is read or written",
      touch.map((each) => `${instructionRow(each)}\n      for ${shortLine((each.globs ?? []).join(", "), WIDTH - 10)}`),
    ),
    section(
      "Skills, read when used",
      skills.map(({ name, description }) => row(name, description, 24)),
    ),
    section("Memory", memoryRows(memory)),
    section(
      "Found and not loaded",
      notLoaded.map(({ name, why }) => `  ${printableLine(name)}\n      ${printableLine(why)}`),
    ),
    section("System prompt, estimated", [
      ...parts.map((part) => numberRow(part.name, part.tokens)),
      numberRow("in all", tokens),
    ]),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

function section(title: string, rows: readonly string[], none?: string): readonly string[] {
  if (rows.length === 0) return none === undefined ? [] : [title, `  ${none}`];
  const more = rows.length > MAX_ROWS ? [`  and ${rows.length - MAX_ROWS} more; see --json`] : [];
  return [title, ...rows.slice(0, MAX_ROWS), ...more];
}

const row = (name: string, text: string, column: number) =>
  `  ${shortLine(name, column - 2).padEnd(column)}${shortLine(text, WIDTH - column - 2)}`;

const numberRow = (name: string, count: number) => `  ${name.padEnd(56)}${String(count).padStart(6)} tokens`;

function instructionRow({ names, tokens, suspicious }: ContextView["loaded"][number]): string {
  const warning = suspicious === true ? "\n      may try to turn the agent against you or its rules: read it" : "";
  return `  ${shortLine(names.join(", "), 54).padEnd(56)}${String(tokens).padStart(6)} tokens${warning}`;
}

function memoryRows({ stored, shown }: ContextView["memory"]): readonly string[] {
  if (stored === 0) return [];
  const fit = shown === stored ? "" : `, of which the newest ${shown} fit`;
  return [`  ${stored} ${stored === 1 ? "fact" : "facts"}${fit}; see: signalbox memory list`];
}
