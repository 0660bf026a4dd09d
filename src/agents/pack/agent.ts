import type { AgentName, Channel, ChannelLimit } from "../../contract/agent.ts";

/** How one channel passes a prompt to an agent. Only listed where a byte-for-byte round trip was observed. */
interface ChannelShape {
  readonly limit: ChannelLimit;
  /** The agent's argv. `prompt` is the text for argv, the path for a file, and empty for stdin. */
  readonly argv: (flags: readonly string[], prompt: string) => string[];
  readonly evidence: string;
}

/** Everything signalbox knows about one agent. */
export interface Agent {
  readonly name: AgentName;
  readonly title: string;
  readonly binary: string;
  readonly install: string;
  /** Folders to search after PATH; `~` is the home folder. */
  readonly knownPlaces: readonly string[];
  readonly channels: Readonly<Partial<Record<Channel, ChannelShape>>>;
  /** Modes that fail the launch when requested, instead of falling back. */
  readonly refusedModes?: { readonly modes: readonly Channel[]; readonly because: string };
  /** Words that, alone after `--`, are commands of the agent and not prompts. */
  readonly subcommands: readonly string[];
  /** The subset that runs no tools, so that no rules are needed. */
  readonly toolFree: readonly string[];
  /** Flags that may follow those. Any other flag could turn them into a session. Undefined where no flag can. */
  readonly toolFreeFlags?: readonly string[];
  /** The words that continue a conversation by its id, after all flags. Undefined if it cannot, or if that was never tried. */
  readonly resume?: (session: string) => readonly string[];
  /** Words, specific to this agent, that make it work unattended. The other words may then be its prompt. */
  readonly unattendedFlags?: RegExp;
  /**
   * Flags for unattended work: with our hooks and every command in a sandbox, with our hooks alone, which decide first,
   * and with only the agent's own checks.
   */
  readonly headlessFlags: Readonly<Record<"contained" | "guarded" | "unguarded", readonly string[]>>;
  /** Its own flags for limits of a task with a prompt, where it has them. */
  readonly limitFlags?: Readonly<Partial<Record<"maxTurns" | "maxBudgetUsd", string>>>;
  /** Flags that take the next word as their value, from the agent's help. Any other word is the agent's own prompt. */
  readonly valueFlags: readonly string[];
  /** Flags whose value is the agent's own prompt. */
  readonly promptFlags: readonly string[];
  /** Flags, some with a value, with which the agent speaks a protocol on stdin, so that piped input is not a prompt. */
  readonly protocolFlags: readonly string[];
  /** Variables that mark a session of this agent: a program that sees one assumes that it runs inside that session. */
  readonly sessionVariables: readonly string[];
  /** Variables that contain a login of this agent and are hidden from all other agents. */
  readonly loginVariables: readonly string[];
  /** The same login under names that the agent can hide from its tools. */
  readonly renameLogin?: (env: NodeJS.ProcessEnv) => NodeJS.ProcessEnv;
  /** Flags that hide the given variables from the agent's tools. */
  readonly hideFromTools?: (variables: readonly string[]) => string[];
  /** Warnings about how this agent would treat such a prompt unexpectedly. Never quotes the prompt. */
  readonly promptTraps?: (prompt: string) => string[];
  /** What our hooks cannot block in this agent. */
  readonly unprotected: string;
  /** The program that a launcher script actually starts, relative to the script's folder. */
  readonly nativeProgram?: readonly string[];
}

/** Linux rejects a single argument of 131,072 bytes or more. */
export const ARGV_LIMIT: ChannelLimit = { unit: "bytes", most: 131_071 };

/** Words that tell any agent to work unattended. */
const UNATTENDED = /^(?:-p|--print|--prompt|-[a-zA-Z]*p|exec|e|review|--print=.*|--prompt=.*)$/;

/** Whether an agent started with these words works unattended, even on a terminal. True in case of doubt. */
export const isUnattended = ({ unattendedFlags }: Agent, flags: readonly string[]): boolean =>
  flags.some((word) => UNATTENDED.test(word) || unattendedFlags?.test(word) === true);
