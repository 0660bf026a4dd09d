/**
 * The shell that runs a command: bash, a POSIX-only shell (dash, or bash called as `sh`), or any shell, including zsh.
 */
export type RunningShell = "bash" | "sh" | "any";

/** What counts as lost at a path: everything, or everything but git's own data and what git ignores. */
export type LossScope = "all" | "unignored";

/** True when what is at a path could be restored; undefined when that is not known. The usual scope is `all`. */
export type Recoverable = (path: string, scope?: LossScope) => boolean | undefined;

/** What the judge needs to know about a contained call. */
export interface CallContainment {
  /** What the sandbox holds in which an allowed command will run; missing when there is none. */
  readonly contained?: readonly HeldPart[] | undefined;
  readonly recoverable?: Recoverable | undefined;
}

/** An agent's tool call as it arrives at the guard. */
export interface AgentCall {
  readonly tool: string;
  readonly input: unknown;
  /** The agent's working directory, as the agent reports it. */
  readonly cwd?: string | undefined;
  /**
   * The shell that will run the command. `foreign` is a shell the model chose that we cannot parse for. Defaults to
   * bash, as in our own tools.
   */
  readonly shell?: RunningShell | "foreign" | undefined;
}

/** What of a command's reach a sandbox limits. */
export const HELD_PARTS = ["disk", "secrets", "network", "processes"] as const;

/** `home` is the weaker one of `secrets`: the home folder and variables, but not hidden files of the workspace. */
export type HeldPart = (typeof HELD_PARTS)[number] | "home";

/** What the Landlock form holds. */
export const PARTLY_HELD: readonly HeldPart[] = ["disk", "home", "network"];

/** Whether it is the weaker form: hidden files can be read, and protected ones are only put back after a command. */
export const isPartly = (held: readonly string[]): boolean => held.includes("home");

/** `yes (disk, …)` or `partly (disk, …)`. */
export const heldWords = (held: readonly string[]): string =>
  `${isPartly(held) ? "partly" : "yes"} (${held.join(", ")})`;

/** By what the commands of a session are held; `agent`: by the agent's own sandbox. */
export type ContainmentForm = "bubblewrap" | "landlock" | "seatbelt" | "agent";

/** Where a session's commands run: in a proven sandbox, or not, and then why and how to change that. */
export type Containment =
  | {
      readonly contained: true;
      readonly form: ContainmentForm;
      /** The form's name for people, or the agent whose own sandbox is used. */
      readonly by: string;
      readonly held: readonly HeldPart[];
      /** When the trial last passed on this machine. */
      readonly provenAt: string;
      /** Of the weaker form: why it is not the whole one, and how to change that. */
      readonly instead?: { readonly because: string; readonly fix: string } | undefined;
    }
  | { readonly contained: false; readonly because: string; readonly fix: string };

/** What commands can do in the weaker form that the whole one prevents. */
export const WEAKER_LOSES: readonly string[] = [
  "hidden files of the workspace, such as .env, can be read",
  "hooks, workflows and git's settings can be changed; they are put back after each command, and until then a program outside can use what was changed",
  "modes and times of your other files can be changed, and all processes be seen",
  "/tmp cannot be used, and loopback is the machine's own",
];

/** What a session in the weaker form says when it starts; undefined for any other. */
export function weakerNotice(containment: Containment): string | undefined {
  if (!containment.contained || containment.instead === undefined) return undefined;
  const { held, by, instead } = containment;
  const because = instead.because.replace(/ \(bwrap: .*$/s, "");
  return `contained: ${heldWords(held)}, by ${by}, because ${because}. Hidden files such as .env can be read, and changed hooks and workflows are put back only after a command. To see more: signalbox sandbox --why`;
}

/**
 * One thing that a command needs and the sandbox does not give. A host, a path or a variable can be lent to this one
 * command; for anything else it has to run outside.
 */
export interface Need {
  readonly kind: "host" | "path" | "variable" | "outside";
  /** `HOST:PORT`, a path, a variable's name, or what is needed outside (`the container engine`). */
  readonly target: string;
  /** For a path: whether it has to be writable. */
  readonly access?: "read" | "write";
  /** For people: `needs github.com:22 and your ssh key to push`. */
  readonly because: string;
}

/** The fields that say best what a call does. Agents name them differently. */
const MAIN_FIELDS = ["command", "cmd", "file_path", "filePath", "path", "url", "pattern", "query"];

/** A call as text: a command as it would be typed, anything else with the tool's name. */
export function callText(tool: string, input: unknown): string {
  const fields: Readonly<Record<string, unknown>> = typeof input === "object" && input !== null ? { ...input } : {};
  const main = MAIN_FIELDS.map((name) => fields[name]).find((value) => value !== undefined && value !== null);
  const command = fields["command"] ?? fields["cmd"];
  if (Array.isArray(command)) return `$ ${command.join(" ")}`;
  if (typeof command === "string") return `$ ${command}`;
  if (typeof main === "string") return `${tool} ${main}`;
  const text = JSON.stringify(input ?? {});
  return text === "{}" ? tool : `${tool} ${text}`;
}
