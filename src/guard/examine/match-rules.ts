import type { ArgvForms } from "../../shell/argv/argv-effects.ts";
import { holds, type Inside } from "../contain/inside.ts";
import type { ReadyPolicy } from "../rules/ready-policy.ts";
import { matchesSegment } from "../../lib/path/glob.ts";
import type { Rule } from "../../contract/policy.ts";
import type { Verdict } from "../../contract/verdict.ts";
import { isKnown, isVariable, UNKNOWN, type Word } from "../../shell/model/word.ts";

/** The strictest matching rule, if any. */
export interface RuleMatch {
  readonly verdict: Verdict;
  readonly rules: readonly Rule[];
}

const ORDER: readonly Verdict[] = ["deny", "ask", "allow"];

/**
 * Finds the rules for an argv. Restricting rules match loosely: by the program's base name, in any option order and
 * spelling. Granting rules match only the canonical words, token for token. A question of a preset is answered by a
 * user's own rule for exactly this argv. `written` has the words of the whole line, where it is a single
 * command.
 */
export function matchRules(
  policy: ReadyPolicy,
  argv: ArgvForms,
  inside?: Inside,
  written: readonly string[] = [],
): RuleMatch | undefined {
  const named = rulesNaming(policy, argv);
  const candidates = inside === undefined ? named : named.filter((rule) => !isNeedless(rule, inside));
  const isAnswered = candidates.some((rule) => answersPreset(rule) && grants(rule, argv, written));
  for (const verdict of ORDER) {
    const rules = candidates.filter(
      (rule) => rule.verdict === verdict && (verdict === "allow" ? grants(rule, argv, written) : restricts(rule, argv)),
    );
    const counting = isAnswered && verdict === "ask" ? rules.filter(({ source }) => source !== "preset") : rules;
    if (counting.length > 0) return { verdict, rules: counting };
    if (verdict === "ask") {
      const possible = candidates.filter((rule) => rule.verdict === "deny" && restricts(rule, argv, isVariable));
      if (possible.length > 0) return { verdict, rules: possible.map(askInstead) };
    }
  }
  return undefined;
}

/** The rules whose program may be the one of an argv. */
function rulesNaming({ rules }: ReadyPolicy, argv: ArgvForms): readonly Rule[] {
  const name = argv.raw[0]?.text.split("/").at(-1)?.toLowerCase() ?? "";
  const keys = new Set(["*", name, stemOf(name), argv.program.toLowerCase()]);
  return [...keys].flatMap((key) => rules.get(key) ?? []);
}

/** What the rule is against is held by the sandbox, or could be restored. */
function isNeedless({ unless }: Rule, inside: Inside): boolean {
  return unless?.every((part) => (part === "recoverable" ? !inside.couldGitLose() : holds(inside, [part]))) === true;
}

/** Whether a rule answers a preset's question about the one argv that it names. */
export const answersPreset = ({ verdict, exact, source }: Rule): boolean =>
  verdict === "allow" && exact && source !== "preset";

/** A rule that applies only if an unknown word turns out to be the one it names. */
function askInstead(rule: Rule): Rule {
  return { ...rule, verdict: "ask", because: `${rule.because}, depending on a word only known at run time` };
}

function grants(rule: Rule, { program, canonical }: ArgvForms, written: readonly string[]): boolean {
  const words = canonical.slice(1);
  if (rule.exact && words.length !== Math.max(rule.argv.length - 1, 0)) return false;
  return rule.argv.every((token, index) => {
    if (rule.asWritten === true && !fits(token, written[index] ?? "")) return false;
    if (index === 0) return fits(token, program);
    const given = words[index - 1];
    return given !== undefined && isKnown(given) && fits(token, given.text);
  });
}

function fits(token: string | readonly string[], text: string): boolean {
  return typeof token === "string" ? token === text : token.includes(text);
}

/** `fitsAny` selects the operands that may be any token. */
function restricts(rule: Rule, argv: ArgvForms, fitsAny: (text: string) => boolean = () => false): boolean {
  return [argv.raw, argv.canonical].some((words) => restrictsWords(rule, words, fitsAny));
}

function restrictsWords(rule: Rule, words: readonly Word[], fitsAny: (text: string) => boolean): boolean {
  const [program, ...rest] = words;
  if (
    program === undefined ||
    (rule.argv.length > 0 && !namesLoosely(rule.argv[0] ?? "", program.text.split("/").at(-1) ?? ""))
  )
    return false;
  const wantsOption = (token: string | readonly string[]) => (token[0] ?? "").startsWith("-");
  const tokens = rule.argv.slice(1);
  if (rule.exact && rest.length !== tokens.length) return false;
  const operands = rest.filter(({ text }) => !text.startsWith("-"));
  const named = tokens.filter((token) => !wantsOption(token));
  if (named.length > operands.length) return false;
  const fitting = (token: string | readonly string[], text: string) => fitsAny(text) || fitsLoosely(token, text);
  // `make X=y deploy` and `npm X=y publish` are the same commands as without the variable.
  const readings = operands.some(assigns) ? [operands.filter((item) => !assigns(item)), operands] : [operands];
  if (!readings.some((list) => named.every((token, index) => fitting(token, list[index]?.text ?? "")))) return false;
  return tokens
    .filter(wantsOption)
    .every((token) =>
      [token].flat().some((option) => rest.some(({ text }) => carries(text, option)) || carriesAll(rest, option)),
    );
}

const assigns = ({ text }: Word) => text.includes("=") && /^[A-Za-z_]\w*[:+?]?=/.test(text);

/** `mkfs.ext4` and `nc.openbsd` are kinds of `mkfs` and `nc`. */
function stemOf(name: string): string {
  return /^(\w+)\.(?:ext\d|xfs|btrfs|v?fat|ntfs|traditional|openbsd|gnu|exe)$/.exec(name)?.[1] ?? name;
}

/** A program that a rule names by its path is restricted under every path to it. */
function namesLoosely(token: string | readonly string[], name: string): boolean {
  if (typeof token !== "string") return token.some((alternative) => namesLoosely(alternative, name));
  const last = token.slice(token.lastIndexOf("/") + 1);
  return fitsLoosely(last, name) || fitsLoosely(last, stemOf(name));
}

/** `*` stands for any text. */
function fitsLoosely(token: string | readonly string[], text: string): boolean {
  if (typeof token !== "string") return token.some((alternative) => fitsLoosely(alternative, text));
  const [wanted, known] = [token.toLowerCase(), text.toLowerCase()];
  return wanted === known || (wanted.includes("*") && matchesSegment(wanted, known));
}

/** `--force` also matches `--force=x` and its abbreviations. */
function carries(text: string, option: string): boolean {
  if (text === option) return true;
  if (!option.startsWith("--")) return false;
  const name = text.split("=")[0] ?? "";
  return name === option || (name.length >= 5 && option.startsWith(name));
}

/** `-rf` also matches `-fr`, `-r -f` and `-rfv`. */
function carriesAll(words: readonly Word[], option: string): boolean {
  if (!/^-[a-zA-Z]+$/.test(option)) return false;
  const letters = new Set(
    words
      .filter(({ text }) => /^-[a-zA-Z]/.test(text) && !text.includes(UNKNOWN))
      .flatMap(({ text }) => text.slice(1).split("")),
  );
  return option
    .slice(1)
    .split("")
    .every((letter) => letters.has(letter));
}
