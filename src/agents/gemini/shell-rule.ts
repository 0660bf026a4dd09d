import type { HeldRule, OwnPattern } from "../../contract/own-rules.ts";

/** A rule about shell commands. In Gemini the rule with the highest priority wins, whatever it decides. */
export interface ShellRule extends HeldRule {
  readonly decision: "deny" | "ask" | "allow";
  readonly priority: number;
}

export const ANY: readonly OwnPattern[] = [{ kind: "any" }];

/** A command that begins with this text, as words and as text. */
export function prefixPatterns(prefix: string): readonly OwnPattern[] {
  const text = prefix.trim();
  if (text === "" || text === "*") return ANY;
  const words = text.split(/\s+/);
  const asText: OwnPattern = { kind: "text", text: `${text} *` };
  return words.every((word) => /^[\w./@:+=,-]+$/.test(word)) ? [{ kind: "words", words }, asText] : [asText];
}

/** The first rule that allows what another one with a lower priority denies or asks about, as far as can be told. */
export function findException(rules: readonly ShellRule[]): ShellRule | undefined {
  const strict = rules.filter(({ decision }) => decision !== "allow");
  return rules.find(
    (rule) => rule.decision === "allow" && strict.some((other) => other.priority < rule.priority && meet(rule, other)),
  );
}

/** False only when the two rules are about different programs. */
function meet(one: ShellRule, other: ShellRule): boolean {
  const [first, second] = [programsOf(one), programsOf(other)];
  return first.some((program) => program === undefined || second.includes(program) || second.includes(undefined));
}

/** The programs that a rule names; undefined stands for any. */
function programsOf({ patterns }: ShellRule): readonly (string | undefined)[] {
  if (patterns.length === 0) return [undefined];
  return patterns.map((pattern) => {
    const [word] = pattern.kind === "words" ? pattern.words : pattern.kind === "text" ? pattern.text.split(" ") : [];
    return typeof word === "string" && !word.includes("*") ? word : undefined;
  });
}
