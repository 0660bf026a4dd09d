/** Faults of a hook and of what is behind it. */
export const FAULTS = {
  "fault.exit-1": "the hook exits with 1",
  "fault.exit-3": "the hook exits with 3",
  "fault.killed": "the hook is killed",
  "fault.hangs": "the hook hangs",
  "fault.silent": "the hook prints nothing",
  "fault.garbage": "the hook prints garbage",
  "fault.two-objects": "the hook prints two objects",
  "fault.10-mb": "the hook prints 10 MB",
  "fault.missing": "the hook's file is gone",
  "fault.not-executable": "the hook's file is not executable",
  "fault.no-interpreter": "the hook's interpreter is missing",
  "fault.server-killed": "the hook server dies during a call and during a session",
  "fault.socket-gone": "the hook server's socket is gone",
  "fault.audit-full": "the audit log cannot be written",
  "fault.policy-broken": "the policy file is broken during the session",
  "fault.policy-replaced": "the policy file is replaced during the session",
} as const;
export type FaultId = keyof typeof FAULTS;

const OTHERS = {
  deny: "a denied call does not run; an allowed one does",
  parallel: "one denied call among sixteen, and eight denied at once",
  patch: "an edit that spells a denied file's path in unusual ways, including a patch with extra white space",
  "sub-agent": "a call of a sub-agent",
  "agent-file": "a call of a sub-agent whose file gives it permissions and hooks of its own",
  "bypass-flag": "the agent's own bypass-all-permissions flag",
  "managed-bypass": "the same flag on a machine with settings of an administrator",
  "untrusted-folder": "a repository with untrusted hooks",
  "repository-switches": "a repository whose settings disable hooks",
  instructions: "the repository's AGENTS.md reaches the agent and starts no programs",
  "prompt-64k": "a prompt of 64 KiB reaches the model byte for byte",
  "stop-gate": "a refused stop makes the agent continue",
  "launch-check": "a failed check sends the agent back, and one that it edited does not count",
  "own-deny-rule": "a deny rule in the agent's own settings",
  "own-ask-rule": "an ask rule in the agent's own settings",
  "contained-write": "a contained command cannot write outside the workspace",
  "contained-secret": "a contained command cannot read a key",
  "contained-host": "a contained command cannot reach an unlisted host",
  "contained-session": "the commands of a session share processes and temporary files",
  "partly-write": "in the weaker form of the sandbox, a command cannot write outside the workspace",
  "partly-home": "in the weaker form, a command cannot read a key in the home",
  "partly-host": "in the weaker form, a command cannot reach an unlisted host",
  "partly-session": "in the weaker form, the commands of a session share processes and temporary files",
  "partly-restored": "in the weaker form, protected files that a command has changed are put back",
  "nothing-left": "a contained build leaves nothing that runs outside later",
  resume: "a resumed conversation",
} as const;

export const GUARANTEES = { ...OTHERS, ...FAULTS };
export type GuaranteeId = keyof typeof GUARANTEES;

export const isGuarantee = (id: string): id is GuaranteeId => Object.hasOwn(GUARANTEES, id);

/** The fault ids, in the order of the table above. */
export const FAULT_IDS = Object.keys(FAULTS).filter((id): id is FaultId => Object.hasOwn(FAULTS, id));
export const GUARANTEE_IDS = Object.keys(GUARANTEES).filter(isGuarantee);

/**
 * Guarantees that may stay open: where a machine has no sandbox, nothing is claimed about it and no administrator can be
 * simulated, and not every agent has rules that ask. Everything else that cannot be shown counts as failed.
 */
export const MAY_STAY_OPEN: readonly string[] = [
  "managed-bypass",
  "own-ask-rule",
  "contained-write",
  "contained-secret",
  "contained-host",
  "contained-session",
  "nothing-left",
] satisfies readonly GuaranteeId[];

/** The rows of both forms of the sandbox. A machine has those of the form that its sessions use. */
export const WHOLE_IDS = ["contained-write", "contained-secret", "contained-host", "contained-session"] as const;
export const PARTLY_IDS = ["partly-write", "partly-home", "partly-host", "partly-session", "partly-restored"] as const;

const hasAny = (ids: ReadonlySet<string>, wanted: readonly string[]) => wanted.some((id) => ids.has(id));

/** Guarantees that were not tested, without the rows of the form that is not used. */
export function untested(tried: ReadonlySet<string>): readonly GuaranteeId[] {
  const others: ReadonlySet<string> = new Set([
    ...(hasAny(tried, WHOLE_IDS) ? PARTLY_IDS : []),
    ...(hasAny(tried, PARTLY_IDS) ? WHOLE_IDS : []),
  ]);
  return GUARANTEE_IDS.filter((id) => !tried.has(id) && !others.has(id));
}
