import { existsSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { isRecord } from "../../lib/is-record.ts";
import { readBounded } from "../../lib/read-bounded.ts";
import type { ArmParts } from "./arm.ts";
import { foldersUp } from "./folders-up.ts";

const MOST_SETTINGS = 4 * 1024 * 1024;
const MOST_TEXTS = 2000;

/** Files of a folder with which Claude Code starts programs. */
export const STARTING = [".claude/settings.json", ".claude/settings.local.json", ".mcp.json"];

export interface ProjectSettings {
  readonly leftOut: boolean;
  /** Settings whose deny and ask rules count all the same. */
  readonly rules: readonly Readonly<Record<string, unknown>>[];
}

/** Whether the settings of a repository may be read by a Claude Code that asks nobody: only when every one that can start something is trusted. */
export function projectSettings(parts: ArmParts): ProjectSettings {
  const { workspace, trusts, warn, interactive } = parts;
  if (interactive) return { leftOut: false, rules: [] };
  const folders = foldersUp(parts.cwd, workspace);
  const present = folders
    .flatMap((folder) => STARTING.map((name) => join(folder, name)))
    .filter((path) => existsSync(path));
  const unknown = present.filter((path) => {
    const text = textOf(path);
    return text === undefined || !trusts(path, text);
  });
  const reasons = [...unknown, ...folders.flatMap(textsWithHooks), ...nestedFolders(workspace)].map((path) =>
    relative(workspace, path),
  );
  if (reasons.length === 0) return { leftOut: false, rules: [] };
  warn(
    `${reasons.slice(0, 5).join(", ")} of this repository may start programs and is not trusted: Claude Code gets its CLAUDE.md and its deny and ask rules, but none of its hooks, servers, skills and agents; read it, then: signalbox trust`,
  );
  return { leftOut: true, rules: present.map((path) => parsed(textOf(path))) };
}

/** Skills and commands may bring hooks of their own in their first lines. */
function textsWithHooks(folder: string): readonly string[] {
  return ["skills", "commands", "agents"].flatMap((kind) =>
    textsIn(join(folder, ".claude", kind)).filter((path) => mayHoldHooks(textOf(path))),
  );
}

function textsIn(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".md"));
    // More than anybody reads: the last one stands for those that are not looked at, and counts as not trusted.
    return names.length > MOST_TEXTS ? [folder] : names.map((name) => join(folder, name));
  } catch {
    return [];
  }
}

const MOST_FOLDERS = 4000;

/** Folders below the top with settings of their own, which Claude Code reads when it comes by. Too many to look at count as one. */
function nestedFolders(workspace: string): readonly string[] {
  const queue = [workspace];
  for (let index = 0; index < queue.length; index++) {
    if (index > MOST_FOLDERS) return [workspace];
    const folder = queue[index] ?? "";
    for (const name of foldersIn(folder)) {
      if (name === ".claude" && folder !== workspace) return [join(folder, name)];
      if (name !== ".git" && name !== "node_modules") queue.push(join(folder, name));
    }
  }
  return [];
}

function foldersIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() || (entry.name === ".claude" && entry.isSymbolicLink()))
      .map(({ name }) => name);
  } catch {
    return [];
  }
}

/** Only the first lines of such a text are settings; one that cannot be read may say anything. */
function mayHoldHooks(text: string | undefined): boolean {
  if (text === undefined) return true;
  if (!/^\uFEFF?---/.test(text)) return false;
  const end = text.indexOf("\n---", 3);
  return text.slice(0, end === -1 ? undefined : end).includes("hooks");
}

function textOf(path: string): string | undefined {
  try {
    return readBounded(path, MOST_SETTINGS).bytes.toString("utf8");
  } catch {
    return undefined;
  }
}

function parsed(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return isRecord(value) ? value : {};
  } catch {
    // Claude Code itself ignores a settings file that it cannot read.
    return {};
  }
}
