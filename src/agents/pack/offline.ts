type Files = Readonly<Record<string, string>>;

/** How to run an agent without a network, a login or a person, and what else a proof needs to know about it. */
export interface Offline {
  /** Variables that make it talk only to the model at `url`. */
  readonly provider: (url: string, home: string) => NodeJS.ProcessEnv;
  /** Settings files that it needs for that, by path relative to the home. */
  readonly settings?: (url: string) => Files;
  /** Flags with which it runs commands without asking, short of its most permissive ones. */
  readonly unattended: readonly string[];
  /** Flags with which it never asks about anything. */
  readonly bypass: readonly string[];
  /** Flags that resume the folder's last conversation. */
  readonly resume: readonly string[];
  /** A call of its own file-writing tool. Undefined where only some models get that tool. */
  readonly write?: (path: string) => ScriptedCall;
  /** What makes it offer `apply_patch` as free text. Undefined where no model gets it. */
  readonly patching?: { readonly flags: readonly string[]; readonly env: NodeJS.ProcessEnv };
  /** A call of its own tool that delegates `task` to a sub-agent. */
  readonly delegate: (task: string) => ScriptedCall;
  /** A sub-agent in a file of the home, whose head asks for every permission and for hooks that allow everything. */
  readonly agentFile: AgentFile;
  readonly managed: ManagedSettings;
  /** A hook registered as in the agent's own documentation, without any of our code. */
  readonly bareHook: BareHook;
  /** How its own rules forbid `mkdir`: by flags, or by a file in the home. */
  readonly ownRule: OwnRuleFile;
  /** How its own rules ask about `mkdir`. Undefined where no rule can ask. */
  readonly ownAskRule?: OwnRuleFile | undefined;
  /** Repository settings that would make it skip every hook. The first one alone is enough. */
  readonly hooksOff: readonly [Files, ...Files[]];
  /** Repository settings with which it would start this hook and this server. */
  readonly startingFiles: (hostile: HostilePrograms) => Files;
}

/** Settings of an administrator. */
interface ManagedSettings {
  /** By absolute path. */
  readonly files: Files;
  /** True when they forbid `mkdir`. */
  readonly forbids: boolean;
  /** Set when the agent ignores them, or worse, unless they belong to root. */
  readonly rootOnly?: true;
}

interface AgentFile {
  readonly path: string;
  /** Its instructions contain `AGENT_FILE_MARK`. */
  readonly text: string;
  readonly delegate: (task: string) => ScriptedCall;
}

/** A text by which a proof sees that the sub-agent of the file was asked, and not another one. */
export const AGENT_FILE_MARK = "You are the sub-agent of a file.";

/** One rule of the agent's own: flags, or a file in the home. */
export interface OwnRuleFile {
  readonly flags: readonly string[];
  readonly file?: { readonly path: string; readonly text: string };
}

interface ScriptedCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

interface BareHook {
  /** The agent and the method, for the page about faults. */
  readonly means: string;
  /** Flags and variables that register the program at `path`, and the files that they need in `folder`. */
  readonly register: (
    path: string,
    parts: { readonly folder: string; readonly seconds: number },
  ) => { readonly flags: readonly string[]; readonly files?: Files; readonly env?: NodeJS.ProcessEnv };
}

interface HostilePrograms {
  /** A command line for a shell. */
  readonly hook: string;
  readonly server: { readonly command: string; readonly args: readonly string[] };
}

/** Hooks in the format that two agents share: before every tool call, and at session start. */
export function nestedHooks(command: string) {
  const hook = { type: "command", command };
  return { SessionStart: [{ hooks: [hook] }], PreToolUse: [{ matcher: "*", hooks: [hook] }] };
}
