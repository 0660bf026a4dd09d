import { isRecord, strings } from "../lib/json/json-value.ts";
import { fakeMachine } from "./machine/fake-machine.ts";
import type { CommandScreen } from "../contract/screening.ts";
import { judge } from "./judge/judge.ts";
import { parseHostPattern } from "../lib/net/host-pattern.ts";
import { compileCorpusPolicy, readCorpusPolicy } from "./policy/corpus-policy.ts";
import type { Policy } from "../contract/policy.ts";
import { realMachine } from "./machine/real-machine.ts";
import type { Decision, Verdict } from "../contract/verdict.ts";
import type { HeldPart } from "../contract/agent-call.ts";
import { isBelow, lexicalPath } from "../lib/path/real-path.ts";
import { messageOf } from "../lib/text/user-error.ts";

/** The answer to one line of a corpus. */
export interface LineAnswer {
  readonly id: unknown;
  readonly verdict: Verdict;
  readonly code: string;
  readonly rules: readonly string[];
  readonly because: string;
  /** With `contained`: whether it runs in the sandbox, and what approving it would lend. */
  readonly contained?: boolean | undefined;
  readonly needs?: Decision["needs"];
}

/** Policies by name, each compiled when it is first used. */
export type NamedPolicies = (reference: string) => Policy | undefined;

export function namedPolicies(source: unknown): NamedPolicies {
  const compiled = new Map<string, Policy>();
  return (reference) => {
    const known = compiled.get(reference);
    if (known !== undefined || !isRecord(source) || !Object.hasOwn(source, reference)) return known;
    const made = compileCorpusPolicy(readCorpusPolicy(source[reference]));
    compiled.set(reference, made);
    return made;
  };
}

export interface LineOptions {
  /** For lines that do not name a policy. */
  readonly policy?: () => Policy;
  readonly screen?: CommandScreen;
  /** Judge as if in a sandbox that holds these parts. */
  readonly contained?: readonly HeldPart[] | undefined;
}

/**
 * Judges one parsed line `{id, policy?, tool, input, world?}`. `world.changed` names files in the workspace that could
 * not be restored. Denies an unreadable line.
 */
export function judgeLine(line: unknown, named: NamedPolicies, active: LineOptions = {}): LineAnswer {
  const fields = isRecord(line) ? line : {};
  const { id = null, tool, input, policy } = fields;
  const denied = (code: string, because: string): LineAnswer => ({ id, verdict: "deny", code, rules: [], because });
  if (typeof tool !== "string") return denied("input", "the line has no tool");
  if (tool === "policy-load") return loadEntry(id, input);
  try {
    const reference = isRecord(policy) ? policy["ref"] : undefined;
    const own = typeof reference === "string" ? named(reference) : inlinePolicy(policy);
    const chosen = policy === undefined ? active.policy?.() : own;
    if (chosen === undefined) return denied("policy", "the line names an unknown policy");
    const given = isRecord(input) ? input["cwd"] : undefined;
    const cwd = typeof given === "string" ? given : undefined;
    const machine = policy === undefined ? { ...realMachine, screen: active.screen } : fakeMachine(input);
    const recoverable = recoverableExcept(fields["world"], chosen.workspaceRoot);
    const decision = judge({ tool, input: withoutMachine(input), cwd }, chosen, {
      ...machine,
      ...(active.contained === undefined ? {} : { contained: active.contained, recoverable }),
    });
    return answerOf(id, decision);
  } catch (error) {
    return denied("policy", messageOf(error));
  }
}

function answerOf(id: unknown, { verdict, code, rules, because, contained, needs }: Decision): LineAnswer {
  return {
    id,
    verdict,
    code,
    rules,
    because,
    ...(contained === undefined ? {} : { contained }),
    ...(needs === undefined ? {} : { needs }),
  };
}

/** Everything in the workspace could be restored, except these files and the folders that hold them. */
function recoverableExcept(world: unknown, root: string): (path: string) => boolean {
  const changed = (isRecord(world) ? (strings(world["changed"]) ?? []) : []).map((path) => lexicalPath(path, root));
  return (path) => isBelow(path, root) && !changed.some((file) => isBelow(file, path) || isBelow(path, file));
}

const INLINE = new Map<string, Policy>();

function inlinePolicy(policy: unknown): Policy | undefined {
  if (!isRecord(policy)) return undefined;
  const key = JSON.stringify(policy);
  const known = INLINE.get(key);
  if (known !== undefined) return known;
  const made = compileCorpusPolicy(readCorpusPolicy(policy));
  if (INLINE.size < 1000) INLINE.set(key, made);
  return made;
}

/** Fields that describe the test machine are not part of the call. */
function withoutMachine(input: unknown): unknown {
  if (!isRecord(input)) return input;
  const { fs: _fs, resolved_ips: _ips, cwd: _cwd, ...rest } = input;
  return rest;
}

function loadEntry(id: unknown, input: unknown): LineAnswer {
  const entry = isRecord(input) ? (input["network_allow_entry"] ?? input["network_deny_entry"]) : undefined;
  try {
    if (typeof entry !== "string") throw new Error("no entry to load");
    parseHostPattern(entry);
    return { id, verdict: "allow", code: "policy-entry", rules: [], because: "the entry is valid" };
  } catch (error) {
    return {
      id,
      verdict: "deny",
      code: "policy-entry",
      rules: [],
      because: messageOf(error),
    };
  }
}
