/** Reads a file of a repository; undefined when it does not exist. */
export type ReadFile = (path: string) => string | undefined;

/** What a launch must know to give an agent the texts of `.signalbox/`. Paths are relative to the repository, with `/`. */
export interface GivenSurfaces {
  /** Undefined where the agent reads a repository's commands as skills. */
  readonly commands?: TextFolder;
  readonly skills?: { readonly folder: string; readonly alsoRead: readonly string[] };
  readonly instructions: {
    readonly files: readonly string[];
    /** The file that our lines go into. */
    readonly choose: (read: ReadFile) => string;
  };
  /** How agents, commands and skills are written for it. Undefined where it has none of them. */
  readonly dialect?: TextDialect;
}

/** The files and keys of a repository that an agent reads. */
export interface Surfaces extends GivenSurfaces {
  /** Undefined where a repository cannot contain hooks for the agent. */
  readonly hooks?: SettingsHooks | FileHooks;
  /** Repository settings that can disable every hook for everybody who works in it. */
  readonly hookSwitches?: readonly string[];
  readonly agents?: TextFolder;
  readonly servers?: JsonServers | TomlServers;
  /** The only paths that staging may write to for this agent. A folder ends with `/`. */
  readonly places: readonly string[];
  /** What the user needs to know after staging. */
  readonly note?: string;
}

/** Hooks in the agent's own settings file, with one wrapper for all events. */
export interface SettingsHooks {
  readonly form: "settings";
  readonly settings: string;
  readonly wrapper: string;
  readonly command: (event: string) => string;
  readonly seconds: (event: string) => number;
  /** Additional keys of a handler. */
  readonly more: (event: string) => Readonly<Record<string, unknown>>;
  /** Set when a guarded launch loads the settings only if they are trusted. Settings with only our hooks need no trust. */
  readonly needsTrust?: true;
}

/** Hooks in a separate file of ours, with one wrapper per event. */
export interface FileHooks {
  readonly form: "file";
  readonly file: string;
  /** Text that identifies the file as ours. */
  readonly mark: string;
  readonly text: (wrappers: readonly { readonly name: string; readonly path: string }[]) => string;
  readonly folder: string;
  /** The names of the wrappers, by event. */
  readonly wrappers: Readonly<Record<string, string>>;
}

/** Where texts such as sub-agents are stored, one file each. */
export interface TextFolder {
  readonly folder: string;
  readonly ending: string;
  /** True where sub-folders are read and are part of a command's name. */
  readonly isNested?: true;
  /** For an agent that does not read Markdown: its own format, and the line that identifies such a file as ours. */
  readonly convert?: { readonly mark: string; readonly text: (source: TextSource) => string };
}

interface TextSource {
  readonly name: string;
  readonly description: string;
  /** One of the agent's own models; undefined for the model of the session. */
  readonly model?: string | undefined;
  readonly body: string;
}

/** What a tool is able to do, whatever an agent calls it. */
export type ToolAbility =
  | "read"
  | "list"
  | "grep"
  | "glob"
  | "create"
  | "edit"
  | "notebook"
  | "shell"
  | "fetch"
  | "search"
  | "delegate"
  | "plan"
  | "skill";

type ToolTable = Readonly<Record<string, readonly ToolAbility[]>>;

/** The words that an agent uses in the front matter of its own agents, commands and skills. */
export interface TextDialect {
  /** Its tools, and what each is able to do. */
  readonly tools: ToolTable;
  /** Other names that it understands. They are read, but not written. */
  readonly aliases: ToolTable;
  /** False where an agent always has every tool, a shell included. */
  readonly limitsTools: boolean;
  /** True where `disallowedTools` is honored. */
  readonly forbidsTools: boolean;
  /** The name of one tool of an MCP server, or of all of them. */
  readonly serverTool: (server: string, tool: string | undefined) => string;
  /** Its own name for a model; undefined for a model that it does not have. */
  readonly model: (name: string) => string | undefined;
  /** True where it replaces `$ARGUMENTS` and runs `` !`command` `` itself. */
  readonly fillsIn: boolean;
}

interface JsonServers {
  readonly form: "json";
  readonly path: string;
  readonly at: readonly string[];
}

export interface TomlServers {
  readonly form: "toml";
  readonly path: string;
  /** The first line of a server's table. */
  readonly heading: (name: string) => string;
  readonly table: (name: string, server: Readonly<Record<string, unknown>>) => string;
}

/** Agents wait twice as long as a wrapper may take, because a hook that times out lets the tool run. */
export const STAGED_SECONDS = 60;

/**
 * Only tool calls fail closed; a session must be able to start and end without an answer. The text never changes: Codex
 * trusts a hook by its command line, and would skip it after an update.
 */
export const orRefuse = (event: string) =>
  event === "tool-before"
    ? " || { echo 'signalbox: the staged hook failed, so this may not happen' >&2; exit 2; }"
    : "";
