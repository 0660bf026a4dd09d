import { join, resolve } from "node:path";
import { homeOf } from "../install/read-settings.ts";
import { textIfReadable } from "../../lib/files/read-file.ts";
import { parseToml } from "../../lib/json/toml.ts";
import type { ManagedSwitch, PlainStart } from "../../contract/agent-install.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { findManaged } from "../install/refuse.ts";

type Settings = Readonly<Record<string, unknown>>;

const SYSTEM = "/etc/codex/config.toml";

/**
 * The person's own Codex settings, as far as a launch needs them: system, user, profile, flags; later ones win.
 * A file that is missing or unreadable counts as empty; Codex itself reports a broken one.
 */
export function codexSettings({ flags, env, cwd }: PlainStart): Settings {
  const folder = codexHome(env, cwd);
  const user = flags.includes("--ignore-user-config") ? {} : tableIn(join(folder, "config.toml"));
  const profile = profileOf(flags) ?? user["profile"];
  const profiles = isRecord(user["profiles"]) ? user["profiles"] : {};
  const older = typeof profile === "string" ? profiles[profile] : undefined;
  const newer = typeof profile === "string" && /^[\w.-]+$/.test(profile) ? `${profile}.config.toml` : undefined;
  return {
    ...tableIn(SYSTEM),
    ...user,
    ...(isRecord(older) ? older : {}),
    ...(newer === undefined ? {} : tableIn(join(folder, newer))),
    ...Object.fromEntries(overridesIn(flags).map(({ key, value }) => [key, value])),
  };
}

/** The folder in which Codex keeps the person's settings. */
export function codexHome(env: NodeJS.ProcessEnv, cwd: string): string {
  const given = env["CODEX_HOME"] ?? "";
  return given === "" ? join(homeOf(env), ".codex") : resolve(cwd, given);
}

const tableIn = (path: string): Settings => parseToml(textIfReadable(path)) ?? {};

function profileOf(flags: readonly string[]): string | undefined {
  return flags
    .flatMap((word, index) => {
      if (word === "-p" || word === "--profile") return flags[index + 1] ?? [];
      return /^--profile=(.+)$/s.exec(word)?.[1] ?? [];
    })
    .at(-1);
}

interface Override {
  readonly key: string;
  readonly value: unknown;
  /** Its position in the flags, and how many words it takes. */
  readonly at: number;
  readonly words: number;
}

/** The `-c KEY=VALUE` of a command line whose key is one plain word. */
export function overridesIn(flags: readonly string[]): readonly Override[] {
  const end = flags.indexOf("--");
  return flags.slice(0, end === -1 ? flags.length : end).flatMap((word, at): readonly Override[] => {
    const apart = word === "-c" || word === "--config";
    const text = apart ? flags[at + 1] : /^(?:-c=?|--config=)(.+)$/s.exec(word)?.[1];
    const [, key, value] = /^\s*([\w-]+)\s*=(.*)$/s.exec(text ?? "") ?? [];
    return key === undefined || value === undefined ? [] : [{ key, value: valueOf(value), at, words: apart ? 2 : 1 }];
  });
}

/** Codex takes a value that is not TOML as a string. */
function valueOf(text: string): unknown {
  const table = parseToml(`value=${text}`);
  return table === undefined ? text.trim().replace(/^(["'])(.*)\1$/s, "$2") : table["value"];
}

/** The trust that the person has given these folders in Codex; the first folder with an entry counts. */
export function trustLevel({ projects }: Settings, folders: readonly string[]): string | undefined {
  const known = isRecord(projects) ? projects : {};
  return folders
    .map((folder) => known[folder])
    .map((project) => (isRecord(project) ? project["trust_level"] : undefined))
    .find((level) => typeof level === "string");
}

/** The feature of Codex switched off, under either of its names: in a table, as a dotted key, or in an inline table. */
export const CODEX_HOOKS_OFF = /^[^#\n]*(?<![\w-])(?:codex_)?hooks["']?\s*=\s*false\b/m;

const FILES = ["requirements.toml", "managed_config.toml"].flatMap((name) =>
  [/^\s*["']?allow_managed_hooks_only["']?\s*=\s*true/m, CODEX_HOOKS_OFF].map((off) => ({
    path: `/etc/codex/${name}`,
    off,
  })),
);

export const codexManaged = (root: string): ManagedSwitch | undefined => findManaged(FILES, root);
