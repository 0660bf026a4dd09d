import { realpathSync, statSync } from "node:fs";
import type { Command } from "commander";
import manifest from "../../../package.json" with { type: "json" };
import { signalboxHome } from "../../lib/path/home-folder.ts";
import { currentFolder } from "../../lib/path/workspace.ts";
import { say } from "../../lib/process/standard-streams.ts";
import { firstFew, printableLine, shortLine } from "../../lib/text/printable.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import { contextView, type ContextView } from "../../native/knowledge/context.ts";
import { loadSettings } from "../../native/settings/settings-files.ts";
import { sessionPolicy } from "../active-policy.ts";
import type { CommandModule } from "../command-module.ts";
import { printJson } from "../flags.ts";
import { addSkillFlags, skillSettings } from "./flags.ts";

const WIDTH = 80;

const MAX_ROWS = 40;

const row = (name: string, text: string, column: number) =>
  `  ${shortLine(name, column - 2).padEnd(column)}${shortLine(text, WIDTH - column - 2)}`;

const numberRow = (name: string, count: number) => `  ${name.padEnd(56)}${String(count).padStart(6)} tokens`;

/** `signalbox context`: what a session of native would start with in a folder. Runs nothing and asks no model. */
export const command: CommandModule = {
  configure(command: Command) {
    addSkillFlags(command.argument("[folder]", "a folder of the workspace (default: this one)"))
      .option("--json", "print JSON")
      .addHelpText("after", "\nExamples:\n  signalbox context\n  signalbox context --json packages/api");
  },

  async run({ words, flags }) {
    const cwd = words[0] === undefined ? currentFolder() : folderOf(words[0]);
    const policy = sessionPolicy({}, cwd);
    const settings = loadSettings(signalboxHome(), policy.workspaceRoot);
    for (const note of settings.notes) say(note);
    const view = contextView({
      policy,
      cwd,
      home: signalboxHome(),
      environment: process.env,
      version: manifest.version,
      unattended: false,
      skillSettings: skillSettings(flags, settings.skills),
    });
    if (flags["json"] === true) printJson(view);
    else process.stdout.write(contextScreen(view));
    return EXIT.ok;
  },
};

function folderOf(word: string): string {
  try {
    const folder = realpathSync(word);
    if (statSync(folder).isDirectory()) return folder;
  } catch {
    // Said below.
  }
  throw new UserError("not a folder", { where: word, fix: "pass an existing folder" });
}

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
  return [title, ...firstFew(rows, MAX_ROWS, (more) => `  and ${more} more; see --json`)];
}

function instructionRow({ names, tokens, suspicious }: ContextView["loaded"][number]): string {
  const warning = suspicious === true ? "\n      may try to turn the agent against you or its rules: read it" : "";
  return `  ${shortLine(names.join(", "), 54).padEnd(56)}${String(tokens).padStart(6)} tokens${warning}`;
}

function memoryRows({ stored, shown }: ContextView["memory"]): readonly string[] {
  if (stored === 0) return [];
  const fit = shown === stored ? "" : `, of which the newest ${shown} fit`;
  return [`  ${stored} ${stored === 1 ? "fact" : "facts"}${fit}; see: signalbox memory list`];
}
