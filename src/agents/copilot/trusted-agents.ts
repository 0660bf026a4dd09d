import { join } from "node:path";
import type { FileHash, TrustedAgents } from "../../contract/agent-hooks.ts";
import { isRecord } from "../../lib/is-record.ts";
import { sha256 } from "../../lib/sha256.ts";
import { textOf } from "../install/repository-text.ts";
import { filesBelow } from "../install/files-below.ts";

/** Where Copilot looks for agents of a folder, trusted or not. */
const PLACES = [".github/agents", ".claude/agents"];
/** What the head of an agent may say without a program being started. */
const PLAIN = new Set([
  "name",
  "displayName",
  "description",
  "tools",
  "disallowedTools",
  "model",
  "target",
  "infer",
  "metadata",
  "handoffs",
  "argument-hint",
  "user-invocable",
  "user-invokable",
  "disable-model-invocation",
  "agents",
  "skills",
  "color",
  "version",
  "author",
  "license",
  "tags",
]);

/** Agent files of these folders that name servers, or may: Copilot starts those when the agent is asked for anything. */
export function startingAgents(folders: readonly string[]): readonly string[] {
  const places = [...new Set(folders)].flatMap((folder) => PLACES.map((name) => join(folder, name)));
  return places.flatMap((place) => {
    const found = filesBelow(place);
    // More than anybody reads: the folder stands for all of them.
    if (found === undefined) return [place];
    return found.filter((path) => /\.md$/i.test(path) && mayStart(textOf(path)));
  });
}

/** Copilot keeps what the heads of agents said when it was started, so files that have changed since still count. */
export const trustedAgents = (folders: readonly string[]): TrustedAgents => ({ folders, files: hashed(folders) });

/** The first agent that may start something, at the start or now, and is not trusted as it was read. */
export function untrustedAgent({ folders, files }: TrustedAgents, trusted: readonly FileHash[]): string | undefined {
  return [...files, ...hashed(folders)].find(
    ({ path, hash }) => !trusted.some((known) => known.path === path && known.hash === hash),
  )?.path;
}

/** What cannot be read has a hash that nothing has. */
function hashed(folders: readonly string[]): readonly FileHash[] {
  return startingAgents(folders).map((path) => {
    const text = textOf(path);
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
 * Whether the head of an agent may say more than is plain. Every line that begins at the margin must be a known key in
 * its plain spelling, the item of a list or a comment, and the first is a key: so no indent, quote, escape, merge or
 * other reading of YAML hides one.
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
