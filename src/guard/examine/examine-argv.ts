import type { Rule } from "../../contract/policy.ts";
import type { GuardFinding } from "../../contract/verdict.ts";
import { isBelow, realPath } from "../../lib/path/real-path.ts";
import {
  type ArgvEffects,
  type ArgvForms,
  argvEffects,
  possibleArgvs,
  withoutVanished,
} from "../../shell/argv/argv-effects.ts";
import type { Effect } from "../../shell/model/effect.ts";
import { copyState } from "../../shell/model/shell-state.ts";
import { isKnown, show, type Word } from "../../shell/model/word.ts";
import { applyEffect } from "./apply-effect.ts";
import {
  HOPELESS_COMMANDS,
  HOPELESS_DEPTH,
  type Judged,
  type Place,
  report,
  type ShellExamination,
} from "./examination.ts";
import { matchRules, type RuleMatch } from "./match-rules.ts";

const MAX_DEPTH = 8;

/** Judges one argv, and each variant of it with the other values its words may have. */
export function examineArgv(words: readonly Word[], place: Place): void {
  const [likely = words, ...others] = possibleArgvs(words);
  examineWords(likely, place);
  const { exam } = place;
  // Nothing is left to find out about a command that is denied anyway.
  const fewer = exam.findings.some(({ verdict }) => verdict === "deny") ? undefined : withoutVanished(words);
  for (const other of fewer === undefined ? others : [...others, fewer]) {
    const aside = { ...exam, findings: [], seen: [] };
    examineWords(other, { ...place, exam: aside, state: copyState(place.state) });
    // A program whose option lost its value fails, and `eval` of nothing does nothing.
    const counts = ({ verdict, code }: GuardFinding) =>
      verdict !== "allow" && code !== "option-value" && code !== "empty";
    exam.findings.push(...aside.findings.filter(counts));
    Object.assign(exam, { budget: aside.budget, paths: aside.paths, parsed: aside.parsed });
  }
}

/** Judges one argv: first by the rules, then each of its effects. */
function examineWords(words: readonly Word[], place: Place): void {
  const { exam } = place;
  const [first, ...rest] = words;
  if (first === undefined) return;
  if (exam.budget < -HOPELESS_COMMANDS) return;
  const text = show(words.slice(0, 200));
  if (--exam.budget < 0 || place.depth > MAX_DEPTH) {
    const hopeless = exam.budget < -HOPELESS_COMMANDS || place.depth > HOPELESS_DEPTH;
    if (exam.budget === -1 || hopeless || exam.budget >= 0)
      report(exam, {
        verdict: hopeless ? "deny" : "ask",
        code: "too-much",
        rule: "cap",
        because: "too many or too deeply nested commands to check",
        fragment: text.slice(0, 80),
      });
    if (hopeless) {
      exam.budget = -HOPELESS_COMMANDS - 1;
      return;
    }
  }
  if (!isKnown(first))
    report(exam, {
      verdict: "ask",
      code: "program-unknown",
      rule: "proof",
      because: "the program is only known at run time",
      fragment: text,
    });
  exam.seen.push({ kind: "run", target: text });
  const step = argvEffects([first, ...rest], {
    feed: place.feed,
    shell: place.shell,
    hasOddNames: () => hasOddNames(exam),
  });
  exam.ran?.push(step.forms);
  const known = step.needsRule ? judgeRules(step.forms, place, text) : restrict(step.forms, place, text);
  // A folder chosen by an option applies to the rest of this command only.
  const inside = step.keepsState ? place : { ...place, state: copyState(place.state) };
  for (const effect of effectsHere(step, exam)) applyEffect(effect, inside, { text, ...known });
}

/** In a sandbox, what a program needs from outside counts as well. */
function effectsHere({ effects, outside }: ArgvEffects, { inside }: ShellExamination): readonly Effect[] {
  return inside === undefined || outside === undefined ? effects : [...effects, ...outside()];
}

/** True if the script creates a file whose name contains a blank, a quote or a backslash. */
function hasOddNames({ workspaceRoot, machine, made }: ShellExamination): boolean {
  const root = realPath(workspaceRoot, "/", machine.readLink);
  return made.some(({ path }) => /[\s'"\\]/.test(isBelow(path, root) ? path.slice(root.length) : path));
}

/** What the rules say about a command. */
type Ruling = Pick<Judged, "explicit" | "allowedBy" | "lenders">;

/** Reports the verdict of the matching rules, or the fallback. */
function judgeRules(forms: ArgvForms, place: Place, text: string): Ruling {
  const { exam } = place;
  const match = matchRules(exam.policy, forms, exam.inside, exam.written);
  if (match !== undefined) {
    for (const rule of match.rules) report(exam, ruleFinding(rule, text));
    noteLeaving(match, exam);
    return {
      explicit: match.rules.some((rule) => rule.argv.length > 0),
      allowedBy: match.verdict === "allow" ? allower(match.rules) : undefined,
      lenders: match.verdict === "allow" ? match.rules.filter(({ hosts }) => hosts !== undefined) : [],
    };
  }
  const { fallback } = exam.policy.policy;
  report(exam, {
    verdict: fallback,
    code: "no-rule",
    rule: "fallback",
    because: fallback === "allow" ? "no rule forbids this program" : "no rule covers this command",
    fragment: text,
  });
  return { explicit: false, allowedBy: fallback === "allow" ? "user" : undefined };
}

function allower(rules: readonly Rule[]): "user" | "preset" {
  return rules.some(({ source }) => source !== "preset") ? "user" : "preset";
}

/** Wrappers and built-ins need no rule, but a rule may restrict them. */
function restrict(forms: ArgvForms, place: Place, text: string): Ruling {
  const match = matchRules(place.exam.policy, forms, place.exam.inside);
  if (match === undefined || match.verdict === "allow") {
    report(place.exam, {
      verdict: "allow",
      code: "shell-itself",
      rule: "shell",
      because: "a shell built-in, or only runs another command",
      fragment: text,
    });
    return { explicit: false };
  }
  for (const rule of match.rules) report(place.exam, ruleFinding(rule, text));
  return { explicit: true };
}

function ruleFinding(rule: Rule, fragment: string): GuardFinding {
  const code = rule.argv.length === 0 ? "rule-any" : `rule-${rule.verdict}`;
  const finding = { verdict: rule.verdict, code, rule: rule.id, because: rule.because, fragment };
  return rule.contained === false && rule.verdict === "ask"
    ? { ...finding, need: { kind: "outside", target: "this machine", because: rule.because } }
    : finding;
}

/** A rule may allow a command outside the sandbox; then the whole line is judged again as uncontained. */
function noteLeaving({ rules, verdict }: RuleMatch, { inside }: ShellExamination): void {
  if (inside !== undefined && verdict === "allow" && rules.some(({ contained }) => contained === false))
    inside.leaves = true;
}
