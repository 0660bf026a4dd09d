import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { HeldRule, OwnRule, OwnRules, SourceState } from "../../contract/own-rules.ts";
import { fileState } from "../../lib/files/file-state.ts";
import { MAX_SETTINGS, readBounded } from "../../lib/files/read-file.ts";
import { errorCode } from "../../lib/text/user-error.ts";
import { settingsText } from "./read-settings.ts";

/** An agent's own rules, as they are found in one source after the other. */
export interface CollectedRules {
  readonly deny: HeldRule[];
  readonly ask: HeldRule[];
  readonly allow: HeldRule[];
  readonly unreadable: OwnRule[];
}

export const noRules = (): CollectedRules => ({ deny: [], ask: [], allow: [], unreadable: [] });

export const collected = ({ deny, ask, allow, unreadable }: CollectedRules, { sources }: WatchedFiles): OwnRules => ({
  deny,
  ask,
  allow,
  unreadable: unreadable[0],
  sources,
});

/** Reads files and folders, and remembers the state of each as it was just before. Missing ones are remembered too. */
export interface WatchedFiles {
  readonly sources: readonly SourceState[];
  /**
   * Undefined when there is no such file, or this user, and so the agent, may not read it. `text` is missing for a file
   * that is too large or not a regular one.
   */
  readonly read: (path: string) => { readonly text?: string } | undefined;
  /** The files below a folder whose names end in `ending`, in order. */
  readonly below: (folder: string, ending: string) => readonly string[];
}

const MAX_FILES = 500;

export function watchedFiles(): WatchedFiles {
  const known = new Map<string, string>();
  const watch = (path: string) => {
    if (!known.has(path)) known.set(path, fileState(path));
  };
  return {
    get sources() {
      return [...known].map(([path, state]) => ({ path, state }));
    },
    read(path) {
      watch(path);
      return contentOf(path);
    },
    below(folder, ending) {
      watch(folder);
      const entries = entriesOf(folder);
      for (const entry of entries) if (entry.isDirectory()) watch(join(entry.parentPath, entry.name));
      const files = entries.filter((entry) => entry.name.endsWith(ending) && !entry.isDirectory());
      return files.map((entry) => join(entry.parentPath, entry.name)).toSorted();
    },
  };
}

function contentOf(path: string): { readonly text?: string } | undefined {
  try {
    return { text: settingsText(readBounded(path, MAX_SETTINGS).bytes) };
  } catch (error) {
    return errorCode(error) === undefined ? {} : undefined;
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true }).slice(0, MAX_FILES);
  } catch {
    return [];
  }
}

/** The line on which a text first appears, as `FILE:LINE`; only the file when it is not found. */
export function lineOf(file: string, text: string, part: string): string {
  const at = text.indexOf(part);
  return at === -1 ? file : `${file}:${text.slice(0, at).split("\n").length}`;
}

/** The rules in one word of a command line. They are separated by commas or blanks, except inside parentheses. */
export function splitRules(text: string): readonly string[] {
  const rules: string[] = [];
  let [rule, depth] = ["", 0];
  for (const character of text) {
    if (character === "(") depth++;
    if (character === ")") depth = Math.max(0, depth - 1);
    if (depth === 0 && /[\s,]/.test(character)) {
      rules.push(rule);
      rule = "";
    } else rule += character;
  }
  return [...rules, rule].filter((one) => one !== "");
}
