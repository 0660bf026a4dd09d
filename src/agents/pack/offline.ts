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
  /** A hook registered as in the agent's own documentation, without any of our code. */
  readonly bareHook: BareHook;
  /** How its own rules forbid `mkdir`: by flags, or by a file in the home. */
  readonly ownRule: {
    readonly flags: readonly string[];
    readonly file?: { readonly path: string; readonly text: string };
  };
  /** Repository settings that would make it skip every hook. The first one alone is enough. */
  readonly hooksOff: readonly [Files, ...Files[]];
  /** Repository settings with which it would start this hook and this server. */
  readonly startingFiles: (hostile: HostilePrograms) => Files;
}

interface ScriptedCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

interface BareHook {
  /** The agent and the method, for the page about faults. */
  readonly means: string;
  /** Flags that register the program at `path`, and the files that they need in `folder`. */
  readonly register: (
    path: string,
    parts: { readonly folder: string; readonly seconds: number },
  ) => { readonly flags: readonly string[]; readonly files?: Files };
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
