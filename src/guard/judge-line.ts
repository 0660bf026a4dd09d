import { isRecord } from "../lib/is-record.ts";
import { fakeMachine } from "./machine/fake-machine.ts";
import type { CommandScreen } from "../contract/screening.ts";
import { judge } from "./judge/judge.ts";
import { parseHostPattern } from "../lib/host-pattern.ts";
import { compileCorpusPolicy } from "./policy/compile-corpus.ts";
import { readCorpusPolicy } from "./policy/read-corpus.ts";
import type { Policy } from "../contract/policy.ts";
import { realMachine } from "./machine/real-machine.ts";
import type { Verdict } from "../contract/verdict.ts";
import { messageOf } from "../lib/message-of.ts";

/** The answer to one line of a corpus. */
export interface LineAnswer {
  readonly id: unknown;
  readonly verdict: Verdict;
  readonly code: string;
  readonly rules: readonly string[];
  readonly because: string;
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

/** Judges lines that do not name a policy. */
export interface ActiveJudge {
  readonly policy: () => Policy;
  readonly screen: CommandScreen;
}

/**
 * Judges one parsed line `{id, policy?, tool, input}`; `active` is for lines without a policy. Denies an unreadable
 * line.
 */
export function judgeLine(line: unknown, named: NamedPolicies, active?: ActiveJudge): LineAnswer {
  const fields = isRecord(line) ? line : {};
  const { id = null, tool, input, policy } = fields;
  const denied = (code: string, because: string): LineAnswer => ({ id, verdict: "deny", code, rules: [], because });
  if (typeof tool !== "string") return denied("input", "the line has no tool");
  if (tool === "policy-load") return loadEntry(id, input);
  try {
    const reference = isRecord(policy) ? policy["ref"] : undefined;
    const own = typeof reference === "string" ? named(reference) : inlinePolicy(policy);
    const chosen = policy === undefined ? active?.policy() : own;
    if (chosen === undefined) return denied("policy", "the line names an unknown policy");
    const given = isRecord(input) ? input["cwd"] : undefined;
    const cwd = typeof given === "string" ? given : undefined;
    const { verdict, code, rules, because } = judge(
      { tool, input: withoutMachine(input), cwd },
      chosen,
      policy === undefined ? { ...realMachine, screen: active?.screen } : fakeMachine(input),
    );
    return { id, verdict, code, rules, because };
  } catch (error) {
    return denied("policy", messageOf(error));
  }
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
