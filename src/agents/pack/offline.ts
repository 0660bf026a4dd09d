type Files = Readonly<Record<string, string>>;

/** How an agent is run without a network, a login and a person, and what a proof has to know about it besides. */
export interface Offline {
  /** Variables that make it talk to the model at `url` and to nobody else. */
  readonly provider: (url: string, home: string) => NodeJS.ProcessEnv;
  /** Settings that it needs for that, by their path below the home. */
  readonly settings?: (url: string) => Files;
  /** Flags with which it runs commands without a question, short of its widest. */
  readonly unattended: readonly string[];
  /** Flags with which it asks nobody about anything. */
  readonly bypass: readonly string[];
  /** Flags that go on with the last conversation of the folder. */
  readonly resume: readonly string[];
  /** A call of its own tool that writes a file; none where the tool is offered to some models only. */
  readonly write?: (path: string) => ScriptedCall;
  /** What makes it offer `apply_patch` as free text; none where no model is offered it. */
  readonly patching?: { readonly flags: readonly string[]; readonly env: NodeJS.ProcessEnv };
  /** A call of its own tool that gives `task` to a sub-agent. */
  readonly delegate: (task: string) => ScriptedCall;
  /** A hook as the agent's own documents say, with nothing of ours around it. */
  readonly bareHook: BareHook;
  /** How it is told, by its own means, that `mkdir` may not run: by flags, or by a file below the home. */
  readonly ownRule: {
    readonly flags: readonly string[];
    readonly file?: { readonly path: string; readonly text: string };
  };
  /** Settings of a repository with which it would leave out every hook; the first alone is enough. */
  readonly hooksOff: readonly [Files, ...Files[]];
  /** Settings of a repository with which it would start this hook and this server. */
  readonly startingFiles: (hostile: HostilePrograms) => Files;
}

interface ScriptedCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

interface BareHook {
  /** The agent and the means, for the page about faults. */
  readonly means: string;
  /** Flags that register the program at `path`, and the files in `folder` that they need. */
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

/** Hooks in the form that two agents share: before every tool call, and at the start. */
export function nestedHooks(command: string) {
  const hook = { type: "command", command };
  return { SessionStart: [{ hooks: [hook] }], PreToolUse: [{ matcher: "*", hooks: [hook] }] };
}
