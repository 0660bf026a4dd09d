import type { AgentName } from "../contract/agent.ts";

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
  "bypass-flag": "the agent's own bypass-all-permissions flag",
  "untrusted-folder": "a repository with untrusted hooks",
  "repository-switches": "a repository whose settings disable hooks",
  instructions: "the repository's AGENTS.md reaches the agent and starts no programs",
  "prompt-64k": "a prompt of 64 KiB reaches the model byte for byte",
  "stop-gate": "a refused stop makes the agent continue",
  "own-deny-rule": "a deny rule in the agent's own settings",
  resume: "a resumed conversation",
} as const;

export const GUARANTEES = { ...OTHERS, ...FAULTS };
export type GuaranteeId = keyof typeof GUARANTEES;

export const isGuarantee = (id: string): id is GuaranteeId => Object.hasOwn(GUARANTEES, id);

/** The fault ids, in the order of the table above. */
export const FAULT_IDS = Object.keys(FAULTS).filter((id): id is FaultId => Object.hasOwn(FAULTS, id));
export const GUARANTEE_IDS = Object.keys(GUARANTEES).filter(isGuarantee);

/**
 * The only pairs that may remain unproven, each with its reason; docs/proof.md lists them. Everything else that cannot
 * be shown counts as failed.
 */
export const MAY_STAY_OPEN: Readonly<Partial<Record<`${AgentName} ${GuaranteeId}`, string>>> = {};
