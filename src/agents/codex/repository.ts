import { mkdirSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "smol-toml";
import type { InstallParts } from "../../contract/agent-install.ts";
import { inlineToml, tomlString } from "../../lib/inline-toml.ts";
import { isRecord } from "../../lib/is-record.ts";
import { leftOutLine } from "../install/instruction-file.ts";
import { foldersDown, foldersUp } from "../install/walk-folders.ts";
import { agentName, type CodexFile, codexFiles, codexLeftOut, isTextAgent, serversOf } from "./files.ts";
import { codexGiven } from "./given.ts";
import { codexInstructions } from "./instructions.ts";
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
  const extras = extraFlags(place, { settings, text, given: given.agents });
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

interface Extras {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly text: string | undefined;
  /** Agents of `.signalbox/`. */
  readonly given: readonly CodexFile[];
}

function extraFlags(parts: Parts, extras: Extras): readonly string[] {
  const { settings, given } = extras;
  if (parts.interactive) return agentFlag(parts, given, extras);
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
    ...agentFlag(parts, [...given, ...agents.filter((file) => !untrusted.includes(file))], extras),
  ];
}

/** Agents are copied to private files: Codex reads them later, when the repository's may have changed. */
function agentFlag(
  parts: Parts,
  files: readonly CodexFile[],
  { settings, text }: Omit<Extras, "given">,
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
  return tableFlag("agents", Object.fromEntries(fitting(entries, parts)));
}

/** The entries that fit into one word of a command line. */
function fitting<Entry>(entries: readonly (readonly [string, Entry])[], { warn }: Pick<Parts, "warn">) {
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
function ownAgents({ env, cwd }: Parts): readonly string[] {
  try {
    return readdirSync(join(codexHome(env, cwd), "agents"));
  } catch {
    return [];
  }
}

function without(table: Readonly<Record<string, unknown>>, own: unknown): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(table).filter(([name]) => !isRecord(own) || own[name] === undefined));
}

function tableFlag(key: string, table: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(table).length === 0 ? [] : ["-c", `${key}=${inlineToml(table) ?? "{}"}`];
}
