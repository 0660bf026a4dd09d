import { lstatSync, readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { isInside } from "../../lib/inside.ts";
import { isRecord } from "../../lib/is-record.ts";
import { messageOf } from "../../lib/message-of.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { readBounded } from "../../lib/read-bounded.ts";
import { type MarkdownFile, readMarkdown } from "./read-markdown.ts";

interface Skill {
  readonly name: string;
  readonly files: readonly { readonly path: string; readonly bytes: Buffer; readonly executable: boolean }[];
}

/** What a repository has in `.signalbox/` for its agents. */
export interface Sources {
  readonly agents: readonly MarkdownFile[];
  readonly commands: readonly MarkdownFile[];
  readonly skills: readonly Skill[];
  readonly instructions: string | undefined;
  readonly servers: Readonly<Record<string, unknown>>;
  /** What was left out, and why. */
  readonly problems: readonly string[];
}

const MAX_BYTES = 4 * 1024 * 1024;
const MAX_FILES = 1000;
export const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;

export function readSources(root: string): Sources {
  const problems: string[] = [];
  const place = { root, report: (path: string, because: string) => void problems.push(`${path}: ${because}`) };
  return {
    agents: markdownIn(place, ".signalbox/agents"),
    commands: markdownIn(place, ".signalbox/commands"),
    skills: skillsIn(place, ".signalbox/skills"),
    instructions: textAt(place, ".signalbox/instructions.md"),
    servers: serversIn(place, ".signalbox/mcp.json"),
    problems,
  };
}

interface Place {
  readonly root: string;
  readonly report: (path: string, because: string) => void;
}

function markdownIn(place: Place, folder: string): readonly MarkdownFile[] {
  return namesIn(place, folder).flatMap((file) => {
    if (!file.endsWith(".md")) return [];
    const path = `${folder}/${file}`;
    const text = textAt(place, path);
    if (text === undefined) return [];
    const read = readMarkdown(file.slice(0, -".md".length), text);
    if (read.problem === undefined && NAME.test(read.name)) return [read];
    place.report(path, read.problem ?? "its name may only contain letters, digits, dots, dashes and underscores");
    return [];
  });
}

function skillsIn(place: Place, folder: string): readonly Skill[] {
  return namesIn(place, folder).flatMap((name) => {
    const path = `${folder}/${name}`;
    if (lstatSync(join(place.root, path)).isFile()) return [];
    const files = filesBelow(place, path, "");
    if (NAME.test(name) && files.some((file) => file.path === "SKILL.md")) return [{ name, files }];
    place.report(path, "a skill is a folder with a simple name that contains SKILL.md");
    return [];
  });
}

function filesBelow(place: Place, top: string, below: string): Skill["files"] {
  const files = namesIn(place, below === "" ? top : `${top}/${below}`).flatMap((name): Skill["files"] => {
    const path = below === "" ? name : `${below}/${name}`;
    const stat = lstatSync(join(place.root, top, path));
    if (stat.isDirectory()) return filesBelow(place, top, path);
    const bytes = bytesAt(place, `${top}/${path}`);
    return bytes === undefined ? [] : [{ path, bytes, executable: (stat.mode & 0o100) !== 0 }];
  });
  if (files.length <= MAX_FILES) return files;
  place.report(top, `it has more than ${MAX_FILES} files`);
  return [];
}

function namesIn({ root }: Place, folder: string): readonly string[] {
  try {
    return readdirSync(join(root, folder))
      .filter((name) => !name.startsWith("."))
      .toSorted();
  } catch {
    return [];
  }
}

function textAt(place: Place, path: string): string | undefined {
  const bytes = bytesAt(place, path);
  if (bytes === undefined) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    place.report(path, "it is not UTF-8");
    return undefined;
  }
}

function bytesAt({ root, report }: Place, path: string): Buffer | undefined {
  if (lstatSync(join(root, path), { throwIfNoEntry: false }) === undefined) return undefined;
  try {
    if (!isInside(realpathSync(join(root, path)), realpathSync(root)))
      throw new Error("it is a link out of the repository");
    return readBounded(join(root, path), MAX_BYTES).bytes;
  } catch (error) {
    report(path, messageOf(error));
    return undefined;
  }
}

function serversIn(place: Place, path: string): Readonly<Record<string, unknown>> {
  const text = textAt(place, path);
  if (text === undefined) return {};
  try {
    const value: unknown = parseJson(text);
    if (isRecord(value) && isRecord(value["mcpServers"])) return value["mcpServers"];
  } catch {
    // Reported below.
  }
  place.report(path, 'it is not JSON of the form {"mcpServers": {…}}');
  return {};
}
