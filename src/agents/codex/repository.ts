import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { namesIn } from "../../lib/files/folder-tree.ts";
import { stringify } from "smol-toml";
import type { GivenText, GivenTexts, InstallParts } from "../../contract/agent-install.ts";
import { inlineToml, tomlString } from "../../lib/json/toml.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { type NativeFiles, withoutNative } from "../install/given-plugin.ts";
import { type LeftOut, leftOutLine, type ReadingRights, readInstruction } from "../install/instruction-file.ts";
import { foldersDown, foldersUp } from "../install/walk-folders.ts";
import type { FindStartingFiles } from "../pack/agent-pack.ts";
import {
  agentName,
  type CodexFile,
  codexFiles,
  codexLeftOut,
  isTextAgent,
  serversOf,
  startingCodexFiles,
} from "./files.ts";
import { codexHome, codexSettings, overridesIn, trustLevel } from "./settings.ts";

type Parts = Omit<InstallParts, "wrapper" | "binary" | "home" | "trusted" | "trustedFiles" | "staged">;

interface FromRepository {
  /** The person's flags, without what was merged into ours. */
  readonly flags: readonly string[];
  readonly ours: readonly string[];
}

const INSTRUCTIONS = "developer_instructions";

/**
 * What Codex gets by flags: the texts of `.signalbox/`, and, where it does not trust its folder, what it still may have of
 * the repository's own: the text of AGENTS.md, agents that are text or trusted, and trusted servers. Nothing in `.codex/`
 * is loaded then.
 */
export function fromRepository(parts: Parts): FromRepository {
  const settings = codexSettings(parts);
  const folders = foldersUp(parts.cwd, parts.workspace);
  const isUntrusted = !parts.interactive || trustLevel(settings, folders) === "untrusted";
  const given = codexGiven(parts.given, { folders, warn: parts.warn });
  if (!isUntrusted && given.text === undefined && given.agents.length === 0) return { flags: parts.flags, ours: [] };
  const place = { ...parts, cwd: realpathSync(parts.cwd) };
  const { text: own, leftOut } = isUntrusted ? codexInstructions(settings, place) : { text: undefined, leftOut: [] };
  const line = leftOutLine("Codex", leftOut, parts.workspace);
  if (line !== undefined) parts.warn(line);
  const text = [own, given.text].filter((part) => part !== undefined).join("\n\n") || undefined;
  const extras = extraFlags(place, settings, text, given.agents);
  if (text === undefined) return { flags: parts.flags, ours: extras };
  return {
    flags: withoutOverride(parts.flags, INSTRUCTIONS),
    ours: ["-c", instructionsFlag([settings[INSTRUCTIONS], text], parts), ...extras],
  };
}

/** The limit of one word on a command line. */
const MAX_WORD_BYTES = 131_071;

/** The person's own text and the repository's joined: Codex takes only one. */
function instructionsFlag(texts: readonly unknown[], { warn }: Parts): string {
  const whole = texts.filter((text) => typeof text === "string" && text.trim() !== "").join("\n\n");
  let text = whole;
  const flag = () => `${INSTRUCTIONS}=${tomlString(text)}`;
  while (Buffer.byteLength(flag()) > MAX_WORD_BYTES) text = text.slice(0, Math.floor(text.length * 0.9));
  if (text !== whole)
    warn(
      `Codex gets only the first ${text.length} of ${whole.length} characters of its instructions (command line limit); shorten AGENTS.md`,
    );
  return flag();
}

/** A later `-c` of the person's would override ours. */
function withoutOverride(flags: readonly string[], key: string): readonly string[] {
  const removed = overridesIn(flags)
    .filter((override) => override.key === key)
    .flatMap(({ at, words }) => Array.from({ length: words }, (_, index) => at + index));
  return flags.filter((_, index) => !removed.includes(index));
}

/** `given` are the agents of `.signalbox/`. */
function extraFlags(
  parts: Parts,
  settings: Readonly<Record<string, unknown>>,
  text: string | undefined,
  given: readonly CodexFile[],
): readonly string[] {
  if (parts.interactive) return agentFlag(parts, given, settings, text);
  const { configs, agents } = codexFiles(foldersDown(parts.cwd, parts.workspace), parts);
  const isKnown = (file: CodexFile) => parts.trusts(file.path, file.text);
  const untrusted = [
    ...configs.filter((file) => !isKnown(file)),
    ...agents.filter((file) => !isTextAgent(file) && !isKnown(file)),
  ];
  for (const line of codexLeftOut(parts, untrusted, configs.filter(isKnown))) parts.warn(line);
  const servers = Object.assign({}, ...configs.filter(isKnown).map(serversOf));
  return [
    ...tableFlag("mcp_servers", without(servers, settings["mcp_servers"])),
    ...agentFlag(parts, [...given, ...agents.filter((file) => !untrusted.includes(file))], settings, text),
  ];
}

/** Agents are copied to private files: Codex reads them later, when the repository's may have changed. */
function agentFlag(
  parts: Parts,
  files: readonly CodexFile[],
  settings: Readonly<Record<string, unknown>>,
  text: string | undefined,
): readonly string[] {
  const named = new Map(
    files.flatMap((file) => {
      const name = agentName(file);
      return name === undefined || ownAgents(parts).includes(`${name}.toml`) ? [] : [[name, file] as const];
    }),
  );
  const own = settings["agents"];
  const chosen = [...named].filter(([name]) => !isRecord(own) || own[name] === undefined);
  if (chosen.length === 0) return [];
  const folder = join(parts.folder, "codex-agents");
  mkdirSync(folder, { mode: 0o700 });
  const entries = chosen.map(([name, { table }]) => {
    const path = join(folder, `${name}.toml`);
    const description = typeof table["description"] === "string" ? table["description"].slice(0, 1000) : name;
    // An agent's own instructions replace those of the session, which include the repository's.
    const body = [table[INSTRUCTIONS], text].filter((part) => typeof part === "string").join("\n\n");
    const whole = { ...table, name, description, ...(body === "" ? {} : { [INSTRUCTIONS]: body.toWellFormed() }) };
    writeFileSync(path, stringify(whole), { mode: 0o600 });
    return [name, { description, config_file: path }] as const;
  });
  return tableFlag("agents", Object.fromEntries(fitting(entries, parts.warn)));
}

/** The entries that fit into one word of a command line. */
function fitting<Entry>(entries: readonly (readonly [string, Entry])[], warn: Parts["warn"]) {
  const fits = (count: number) =>
    Buffer.byteLength(`agents=${inlineToml(Object.fromEntries(entries.slice(0, count))) ?? ""}`) <= MAX_WORD_BYTES;
  let count = entries.length;
  while (count > 0 && !fits(count)) count = Math.floor(count * 0.9);
  if (count < entries.length)
    warn(
      `Codex gets only the first ${count} of ${entries.length} agents (command line limit); shorten their descriptions`,
    );
  return entries.slice(0, count);
}

/** The names of the person's own agents, which must not be replaced. */
const ownAgents = ({ env, cwd }: Parts): readonly string[] => namesIn(join(codexHome(env, cwd), "agents"));

function without(table: Readonly<Record<string, unknown>>, own: unknown): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(table).filter(([name]) => !isRecord(own) || own[name] === undefined));
}

function tableFlag(key: string, table: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(table).length === 0 ? [] : ["-c", `${key}=${inlineToml(table) ?? "{}"}`];
}

interface Place extends ReadingRights {
  readonly cwd: string;
}

interface CodexInstructions {
  /** The text for the model; undefined when the repository has none. */
  readonly text: string | undefined;
  readonly leftOut: readonly LeftOut[];
}

const DEFAULT_MAX_BYTES = 32 * 1024;

/** A repository's instructions as Codex joins them for a trusted folder: one file per folder, from the top down. */
export function codexInstructions(settings: Readonly<Record<string, unknown>>, place: Place): CodexInstructions {
  const names = ["AGENTS.override.md", "AGENTS.md", ...fallbackNames(settings)];
  const leftOut: LeftOut[] = [];
  const texts: string[] = [];
  const most = maxBytes(settings);
  let left = most;
  for (const folder of most === 0 ? [] : foldersDown(place.cwd, place.workspace)) {
    const found = firstFile(
      names.map((name) => join(folder, name)),
      { place, most: left },
    );
    if (found === undefined) continue;
    const { path, file } = found;
    if ("problem" in file) leftOut.push({ path, because: file.problem });
    else {
      if (file.cut) leftOut.push({ path, because: `cut: project_doc_max_bytes is ${most}` });
      if (file.text.trim() === "") continue;
      texts.push(file.text);
      left -= file.bytes;
    }
  }
  if (texts.length === 0) return { text: undefined, leftOut };
  // Codex frames the text in the same way.
  const text = `# AGENTS.md instructions for ${place.cwd}\n\n<INSTRUCTIONS>\n${texts.join("\n\n")}\n</INSTRUCTIONS>`;
  return { text, leftOut };
}

function firstFile(paths: readonly string[], { place, most }: { readonly place: Place; readonly most: number }) {
  for (const path of paths) {
    const file = readInstruction(path, most, place);
    if (file !== undefined) return { path, file };
  }
  return undefined;
}

function fallbackNames({ project_doc_fallback_filenames: names }: Readonly<Record<string, unknown>>) {
  return Array.isArray(names) ? names.filter((name) => typeof name === "string" && name.trim() !== "") : [];
}

/** No model reads more than this, whatever the settings say. */
const MAX_BYTES = 1024 * 1024;

function maxBytes({ project_doc_max_bytes: most }: Readonly<Record<string, unknown>>): number {
  const given = typeof most === "bigint" ? Number(most) : most;
  return typeof given === "number" && given >= 0 ? Math.min(given, MAX_BYTES) : DEFAULT_MAX_BYTES;
}

/** Codex offers these skills itself, in a folder that it does not trust too. */
const NATIVE: NativeFiles = {
  agents: ({ name }) => [`.codex/agents/${name}.toml`],
  commands: () => [],
  skills: ({ name }) => [`.agents/skills/${name}/SKILL.md`, `.codex/skills/${name}/SKILL.md`],
};

const MAX_BODIES = 32 * 1024;

const HEADING = `# Skills

The user has these skills. When a task fits one of them, or the user names it, follow its text. If only its file is given, read that first. In these texts, \`$ARGUMENTS\` stands for what the user wrote after the name of the skill, and a command marked as !\`command\` is one that you run to use its output in that place.`;

/** The texts of `.signalbox/` for Codex, which has no flag for skills: they become part of its instructions. */
export function codexGiven(
  given: GivenTexts | undefined,
  { folders, warn }: { readonly folders: readonly string[]; readonly warn: (text: string) => void },
): { readonly text: string | undefined; readonly agents: readonly CodexFile[] } {
  if (given === undefined) return { text: undefined, agents: [] };
  const { agents, skills, instructions } = withoutNative(given, folders, NATIVE);
  const parts = [...instructions.map(({ text }) => text), ...skillsText(skills, warn)];
  return { text: parts.length === 0 ? undefined : parts.join("\n\n"), agents: agents.map(agentFile) };
}

function agentFile({ name, description, fields, body, from }: GivenText): CodexFile {
  const { model } = fields;
  const table = { name, description, developer_instructions: body, ...(typeof model === "string" ? { model } : {}) };
  return { path: join(from, `${name}.toml`), text: "", table };
}

/** A repository's skill is read from its file. The user's own are outside the sandbox of a command, so they are included. */
function skillsText(skills: readonly GivenText[], warn: (text: string) => void): readonly string[] {
  const lines: string[] = [];
  const left: string[] = [];
  let room = MAX_BODIES;
  for (const { name, description, body, from, isOwn } of skills) {
    const title = `- ${name}: ${description.replaceAll(/\s+/g, " ").slice(0, 1000)}`;
    if (!isOwn) lines.push(`${title} (file: ${from})`);
    else if (Buffer.byteLength(body) <= room) {
      room -= Buffer.byteLength(body);
      lines.push(`${title}\n<skill name="${name}">\n${body}\n</skill>`);
    } else left.push(name);
  }
  if (left.length > 0)
    warn(
      `Codex gets at most ${MAX_BODIES} bytes of your own skills; put these into ~/.agents/skills: ${left.join(", ")}`,
    );
  return lines.length === 0 ? [] : [[HEADING, ...lines].join("\n\n")];
}

const what = "settings that let Codex start programs";

export const startingFiles: FindStartingFiles = ({ cwd, workspace }) => {
  const found = startingCodexFiles(foldersDown(cwd, workspace), { workspace, mayRead: () => true });
  return { files: found.map(({ path, text }) => ({ path, text, what })), unfit: [] };
};
