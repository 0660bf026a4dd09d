import type { AgentName } from "../../contract/agent.ts";
import type { Channel, ChannelLimit } from "../../contract/delivery.ts";

/** How one channel of an agent carries a prompt. Marked only where a byte-for-byte round trip was seen. */
interface ChannelShape {
  readonly limit: ChannelLimit;
  /** The agent's argv; `prompt` is the text for argv, the path for a file, and empty for stdin. */
  readonly argv: (flags: readonly string[], prompt: string) => string[];
  readonly evidence: string;
}

/** Everything signalbox knows about one agent. */
export interface Agent {
  readonly name: AgentName;
  readonly title: string;
  readonly binary: string;
  readonly install: string;
  /** Folders to look in after PATH; `~` is the home folder. */
  readonly knownPlaces: readonly string[];
  readonly channels: Readonly<Partial<Record<Channel, ChannelShape>>>;
  /** Modes that a person may ask for and that stop the launch instead of degrading. */
  readonly refusedModes?: { readonly modes: readonly Channel[]; readonly because: string };
  /** Words that are commands of the agent when they stand alone after `--`, not prompts. */
  readonly subcommands: readonly string[];
  /** Those of them that start no tool, so that no rule is needed. */
  readonly toolFree: readonly string[];
  /** Flags that may follow those; any other could make a session of them. Undefined where none can. */
  readonly toolFreeFlags?: readonly string[];
  /** Words with which only this agent works without a person; the other words may then be its prompt. */
  readonly unattendedFlags?: RegExp;
  /** Flags with which it works without a person: under hooks of ours, which decide first, and with its own care alone. */
  readonly headlessFlags: { readonly guarded: readonly string[]; readonly unguarded: readonly string[] };
  /** Flags of the agent whose next word is their value, from its own help. Any other word is the agent's own prompt. */
  readonly valueFlags: readonly string[];
  /** Flags that carry the agent's own prompt. */
  readonly promptFlags: readonly string[];
  /** Flags, some with their value, with which the agent speaks a protocol on stdin: what is piped in is then no prompt. */
  readonly protocolFlags: readonly string[];
  /** Variables that mark a session of it: a program that sees one believes it runs inside that session. */
  readonly sessionVariables: readonly string[];
  /** Variables that hold a login of this agent and are kept from every other one. */
  readonly loginVariables: readonly string[];
  /** The same login under names that the agent can keep to itself. */
  readonly renameLogin?: (env: NodeJS.ProcessEnv) => NodeJS.ProcessEnv;
  /** Flags that keep the given variables from the agent's tools. */
  readonly hideFromTools?: (variables: readonly string[]) => string[];
  /** What this agent would do with such a prompt that its author may not expect. Never quotes the prompt. */
  readonly promptTraps?: (prompt: string) => string[];
  /** What no hook of ours can hold in this agent. */
  readonly unprotected: string;
  /** The program that a launcher script really starts, relative to the script's folder. */
  readonly nativeProgram?: readonly string[];
}

/** Linux passes no single argument of 131,072 bytes or more. */
export const ARGV_LIMIT: ChannelLimit = { unit: "bytes", most: 131_071 };
