import type { Machine } from "../contract/machine.ts";
import type { HeldRule, OwnRules } from "../contract/own-rules.ts";
import { matchesWildcard } from "../lib/text/wildcard.ts";
import type { ArgvForms } from "../shell/argv/argv-effects.ts";
import { isPlainCommand } from "../shell/parse/read-script.ts";
import { examineShell } from "./examine/examine.ts";
import { firstMatch, type OwnMatch, ownRulesPolicy } from "./match-own-rules.ts";
import { ready } from "./rules/ready-policy.ts";

/** Where a command would run. */
export interface OwnRulesPlace {
  readonly cwd: string;
  readonly workspace: string;
  readonly home: string;
  readonly machine: Machine;
}

/** What the agent's own rules say about a command. */
export interface OwnVerdict {
  readonly verdict: "deny" | "ask";
  readonly rule: HeldRule;
  /** For the user and the model. */
  readonly because: string;
  /** False when the rule only might match, because part of the command cannot be read. */
  readonly certain: boolean;
  /** The command is plain words that start with those of the rule, so that the agent's own matcher finds it too. */
  readonly literal: boolean;
}

/**
 * Judges a command, as the model wrote it, by the agent's own deny and ask rules. Finds a rule's command wherever our own
 * reader does: behind wrappers, in substitutions, in `bash -c` and `eval`. What cannot be read is asked about where it
 * could be what a rule names. Undefined when no rule applies.
 */
export function judgeByOwnRules(command: string, rules: OwnRules, place: OwnRulesPlace): OwnVerdict | undefined {
  const decided = (
    verdict: OwnVerdict["verdict"],
    match: OwnMatch,
    because: (rule: HeldRule) => string,
  ): OwnVerdict => ({
    verdict,
    ...match,
    because: because(match.rule),
    literal: match.certain && isLiteral(command, match.rule),
  });
  const denied = strictest(command, rules.deny, place);
  if (denied?.certain === true) return decided("deny", denied, blocked);
  const asked = strictest(command, rules.ask, place);
  if (asked?.certain === true) return decided("ask", asked, asks);
  const possible = denied ?? asked;
  return possible === undefined ? undefined : decided("ask", possible, unsure);
}

const named = ({ rule, where }: HeldRule) => `your own rule ${rule} in ${where}`;
const blocked = (rule: HeldRule) => `Blocked by ${named(rule)}. To allow it, change that rule.`;
const asks = (rule: HeldRule) => `${named(rule)} asks for approval`;
const unsure = (rule: HeldRule) =>
  `part of the command is only known at run time, and ${named(rule)} may apply; write the command literally`;

function isLiteral(command: string, { patterns }: HeldRule): boolean {
  if (!isPlainCommand(command.trim())) return false;
  const given = command.trim().split(" ");
  return patterns.some(
    (pattern) =>
      pattern.kind === "words" &&
      pattern.words.every((word, index) => (typeof word === "string" ? [word] : word).includes(given[index] ?? "")),
  );
}

/** The first rule that certainly matches, otherwise the first that might. */
function strictest(command: string, rules: readonly HeldRule[], place: OwnRulesPlace): OwnMatch | undefined {
  if (rules.length === 0) return undefined;
  const ran: ArgvForms[] = [];
  const { cwd, machine } = place;
  const policy = ready(ownRulesPolicy(rules, place));
  const { findings, seen } = examineShell(command, { policy, machine, cwd, shell: "bash", ran });
  return firstMatch(rules, { command, ran, findings, seen });
}

/**
 * True when the agent's own allow rules cover a command. Only for a plain command, one without any shell syntax: for
 * others the agent's own answer counts.
 */
export function isAllowedByOwnRules(command: string, allow: OwnRules["allow"]): boolean {
  const text = command.trim();
  return allow.some(({ patterns }) =>
    patterns.some(
      (pattern) =>
        pattern.kind === "any" ||
        (pattern.kind === "text" && isPlainCommand(text) && matchesWildcard(pattern.text, text)),
    ),
  );
}
