/** What the files of a repository say, or undefined when there is no such file. */
export type ReadFile = (path: string) => string | undefined;

/** The files and keys of a repository that an agent reads. Paths are relative to the repository, with `/`. */
export interface Surfaces {
  /** None where a repository cannot carry hooks for the agent. */
  readonly hooks?: SettingsHooks | FileHooks;
  /** Settings of a repository that can switch every hook off for everybody who works in it. */
  readonly hookSwitches?: readonly string[];
  readonly agents?: TextPlace;
  /** None where commands of a repository are read as skills. */
  readonly commands?: TextPlace;
  readonly skills?: { readonly folder: string; readonly alsoRead: readonly string[] };
  readonly instructions: {
    readonly files: readonly string[];
    /** The one that our lines go into. */
    readonly choose: (read: ReadFile) => string;
  };
  readonly servers?: JsonServers | TomlServers;
  /** The only places that staging may write to for this agent; a folder ends with `/`. */
  readonly places: readonly string[];
  /** What a person has to know after staging. */
  readonly note?: string;
}

/** Hooks in a settings file of the agent's own, with one wrapper for all events. */
export interface SettingsHooks {
  readonly form: "settings";
  readonly settings: string;
  readonly wrapper: string;
  readonly command: (event: string) => string;
  readonly seconds: (event: string) => number;
  /** Further keys of a handler. */
  readonly more: (event: string) => Readonly<Record<string, unknown>>;
  /** Set when a guarded launch loads the settings only where they are trusted; those with our hooks alone need nobody's. */
  readonly needsTrust?: true;
}

/** Hooks in a file of ours, with a wrapper for every event. */
export interface FileHooks {
  readonly form: "file";
  readonly file: string;
  /** Words by which the file is known as ours. */
  readonly mark: string;
  readonly text: (wrappers: readonly { readonly name: string; readonly path: string }[]) => string;
  readonly folder: string;
  /** The names of the wrappers, by event. */
  readonly wrappers: Readonly<Record<string, string>>;
}

/** Where texts such as sub-agents are, one file each. */
export interface TextPlace {
  readonly folder: string;
  readonly ending: string;
  /** For an agent that does not read Markdown: its own form, and the line by which such a file is known as ours. */
  readonly convert?: { readonly mark: string; readonly text: (source: TextSource) => string };
}

interface TextSource {
  readonly name: string;
  readonly description: string;
  readonly body: string;
}

interface JsonServers {
  readonly form: "json";
  readonly path: string;
  readonly at: readonly string[];
}

export interface TomlServers {
  readonly form: "toml";
  readonly path: string;
  /** The line that a server's table begins with. */
  readonly heading: (name: string) => string;
  readonly table: (name: string, server: Readonly<Record<string, unknown>>) => string;
}

/** Agents are told to wait twice as long as a wrapper may take: a hook that runs out of time lets the tool run. */
export const STAGED_SECONDS = 60;

/** Only a tool call must not happen without an answer; a session must be able to start and end. */
export const orRefuse = (event: string) =>
  event === "tool-before" ? " || { echo 'signalbox: blocked, because the staged hook failed' >&2; exit 2; }" : "";
