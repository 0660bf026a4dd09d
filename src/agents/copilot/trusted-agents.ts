import { join } from "node:path";
import { wordList } from "../../lib/text/shell-words.ts";
import { textIfReadable } from "../../lib/files/read-file.ts";
import type { FileHash, TrustedAgents } from "../../contract/agent-install.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { sha256 } from "../../lib/json/sha256.ts";
import { filesBelow } from "../install/walk-folders.ts";
import type { FindStartingFiles } from "../pack/agent-pack.ts";

/** Where Copilot looks for agents in a folder, trusted or not. */
const PLACES = [".github/agents", ".claude/agents"];

/** Keys of an agent's front matter that cannot start a program. */
const PLAIN = new Set(
  wordList(`
    name displayName description tools disallowedTools model target infer metadata handoffs argument-hint
    user-invocable user-invokable disable-model-invocation agents skills color version author license tags
  `),
);

/** Agent files of these folders that name servers, or might. Copilot starts these servers when the agent is called. */
export function startingAgents(folders: readonly string[]): readonly string[] {
  const places = [...new Set(folders)].flatMap((folder) => PLACES.map((name) => join(folder, name)));
  return places.flatMap((place) => {
    const found = filesBelow(place);
    // Too many to read, so the folder is listed instead.
    if (found === undefined) return [place];
    return found.filter((path) => /\.md$/i.test(path) && mayStart(textIfReadable(path)));
  });
}

/** Copilot keeps the front matter that it read at its start, so files that have changed since still count. */
export const trustedAgents = (folders: readonly string[]): TrustedAgents => ({ folders, files: hashed(folders) });

/** The first agent file that may start programs, as it was at the start or is now, and is not trusted in that form. */
export function untrustedAgent({ folders, files }: TrustedAgents, trusted: readonly FileHash[]): string | undefined {
  return [...files, ...hashed(folders)].find(
    ({ path, hash }) => !trusted.some((known) => known.path === path && known.hash === hash),
  )?.path;
}

/** A file that cannot be read gets a hash that never matches. */
function hashed(folders: readonly string[]): readonly FileHash[] {
  return startingAgents(folders).map((path) => {
    const text = textIfReadable(path);
    return { path, hash: text === undefined ? "" : sha256(text) };
  });
}

/** True for a call that hands work to an agent. */
export function callsAgent(tool: string, input: unknown): boolean {
  return (
    /^task$/i.test(tool) || (isRecord(input) && Object.keys(input).some((key) => /^agent_?(?:type|name)?$/i.test(key)))
  );
}

/**
 * Whether the front matter of an agent may start a program. Every unindented line must be a known key in its plain
 * spelling, a list item or a comment, and the first line must be a key. So no indent, quote, escape, merge key or other
 * YAML feature can hide one.
 */
function mayStart(text: string | undefined): boolean {
  if (text === undefined) return true;
  const whole = text.replace(/^\uFEFF/, "").trimStart();
  if (!whole.startsWith("---")) return false;
  const end = /\n---(?:\r?\n|$)/.exec(whole);
  const [first = "", ...rest] = whole.slice(0, end?.index).split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/);
  const lines = rest.filter((line) => line.trim() !== "" && !line.startsWith("#"));
  if (first.trimEnd() !== "---" || !isPlainKey(lines[0] ?? "name:")) return true;
  return !lines.every((line) => /^(?: |-(?: |$))/.test(line) || isPlainKey(line));
}

function isPlainKey(line: string): boolean {
  const key = /^([A-Za-z-]+):(?:\s|$)/.exec(line)?.[1];
  return key !== undefined && PLAIN.has(key);
}

export const startingFiles: FindStartingFiles = ({ workspace }) => {
  const found = startingAgents([workspace]).filter((path) => /\.md$/i.test(path));
  return { files: found.map((path) => ({ path })), unfit: [] };
};
