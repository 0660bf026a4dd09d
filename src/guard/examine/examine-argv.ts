import { findProgram } from "../../shell/programs/find-program.ts";
import { gitUse } from "../../shell/programs/git-repository.ts";
import { isInside, realPath } from "../paths/resolve.ts";
import type { Rule } from "../policy/policy.ts";
import type { Finding } from "../verdict.ts";
import { applyEffect, type Judged } from "./apply-effect.ts";
import { builtinEffects } from "../../shell/builtins.ts";
import { canonicalise } from "../../shell/canonical-argv.ts";
import { delegated } from "../../shell/delegates.ts";
import { doubt, type Effect } from "../../shell/effect.ts";
import { copyState, type Place, report } from "./examination.ts";
import type { Feed } from "../../shell/feed.ts";
import { inputEffects, isShell, shellEffects } from "../../shell/interpreters.ts";
import { HOPELESS_COMMANDS, HOPELESS_DEPTH } from "../../shell/limits.ts";
import { type ArgvForms, matchRules } from "./match-rules.ts";
import { effectsOf, isActive, readArguments } from "../../shell/options.ts";
import { otherShellEffects } from "../../shell/other-shells.ts";
import { programName } from "../../shell/program-name.ts";
import { type RunningShell, runningShell } from "../../shell/running-shell.ts";
import { declares } from "../../shell/setters.ts";
import { isKnown, show, splitText, type Word } from "../../shell/word.ts";
import { unwrap } from "../../shell/wrappers.ts";
import { xargsEffects } from "../../shell/xargs.ts";

const MAX_DEPTH = 8;

/** Judges one argv, and what it would be with each of the other values that its words may have. */
export function examineArgv(words: readonly Word[], place: Place): void {
  const most = words.reduce((count, { others }) => Math.max(count, others?.length ?? 0), 0);
  if (most === 0 || declares(words[0]?.text ?? "")) return examineWords(words, place);
  examineWords(words.map(withoutOthers), place);
  const { exam } = place;
  for (let index = 0; index < most; index++) {
    const aside = { ...exam, findings: [], seen: [] };
    const other = words.flatMap((item) => otherWords(item, index));
    examineWords(other, { ...place, exam: aside, state: copyState(place.state) });
    // A program whose option has lost its value fails.
    const counts = ({ verdict, code }: Finding) => verdict !== "allow" && code !== "option-value";
    exam.findings.push(...aside.findings.filter(counts));
    Object.assign(exam, { budget: aside.budget, paths: aside.paths, parsed: aside.parsed });
  }
}

function withoutOthers({ text, glob, open }: Word): Word {
  return open === undefined ? { text, glob } : { text, glob, open };
}

function otherWords(item: Word, index: number): readonly Word[] {
  const other = item.others?.[index % item.others.length];
  return other === undefined ? [withoutOthers(item)] : splitText(other).map((text) => ({ text, glob: item.glob }));
}

/** Judges one argv: the rules for it, then each of its effects. */
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
        because: "there are more commands, or deeper ones, than are looked at",
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
  const { name, program, effects } = programName(first.text);
  exam.seen.push({ kind: "run", target: text });
  const step = plan({ name, program, words, rest }, place);
  const known = step.needsRule ? judgeRules(step.forms, place, text) : restrict(step.forms, place, text);
  // A folder that an option chooses holds for the rest of this command, and not after it.
  const inside = step.keepsState ? place : { ...place, state: copyState(place.state) };
  const doubts = otherShellEffects(name, rest, place.shell);
  for (const effect of [...effects, ...doubts, ...step.effects]) applyEffect(effect, inside, { text, ...known });
}

interface Step {
  readonly forms: ArgvForms;
  readonly effects: readonly Effect[];
  /** A rule must allow it; else the effects say all. */
  readonly needsRule: boolean;
  /** A change of folder stays. */
  readonly keepsState: boolean;
}

interface Named {
  readonly name: string;
  readonly program: string;
  readonly words: readonly Word[];
  readonly rest: readonly Word[];
}

function plan({ name, program, words, rest }: Named, place: Place): Step {
  const forms = { program, raw: words, canonical: words };
  const transparent = { forms, needsRule: false, keepsState: false };
  const wrapped = name === "xargs" ? xargsEffects(rest, namesFed(rest, place)) : unwrap(name, rest, place.feed);
  // What `command` and `builtin` run is the shell itself: a change of folder or variable stays.
  if (wrapped !== undefined)
    return { ...transparent, effects: readBy("any", wrapped), keepsState: name === "command" || name === "builtin" };
  if (isShell(name)) {
    const effects = readBy(runningShell(name), shellEffects(rest, place.feed));
    return { ...transparent, effects, needsRule: !effects.some((effect) => effect.kind === "script" && effect.sure) };
  }
  if (name === "su") return { ...transparent, effects: suEffects(rest), needsRule: true };
  const builtin = builtinEffects(name, rest, place.feed);
  if (builtin !== undefined) return { forms, effects: builtin.effects, needsRule: !builtin.inert, keepsState: true };
  const canonical = canonicalise(program, words);
  return {
    forms: { ...forms, canonical: canonical.words },
    effects: readBy("any", [...canonical.effects, ...tableEffects(name, program, { words: canonical.words, place })]),
    needsRule: true,
    keepsState: false,
  };
}

/** Without `-0` xargs cuts a name with a blank in two, and takes quotes out of it: one that the script has made may become any. */
function namesFed(rest: readonly Word[], { exam, feed }: Place): Feed {
  const root = realPath(exam.policy.policy.workspaceRoot, "/", exam.world.readLink);
  const whole = rest.some(({ text }) => text === "-0" || text === "--null");
  const odd = exam.made.some(({ path }) => /[\s'"\\]/.test(isInside(path, root) ? path.slice(root.length) : path));
  return feed.kind === "files" && odd && !whole ? { kind: "unknown" } : feed;
}

/** Names the shell that reads the scripts among these. A program that takes one may start any: sh, or the user's own. */
const readBy = (shell: RunningShell, effects: readonly Effect[]): readonly Effect[] =>
  effects.map((effect) => (effect.kind === "script" ? { shell, ...effect } : effect));

function suEffects(rest: readonly Word[]): readonly Effect[] {
  const at = rest.findIndex(({ text }) => text === "-c" || text === "--command");
  const script = rest[at + 1];
  return [
    doubt("escalates", "it takes other rights", "deny"),
    ...(at === -1 || script === undefined ? [] : [{ kind: "script", word: script, sure: false } as const]),
  ];
}

/** What the tables know of the program, or of the tool that it starts. */
function tableEffects(
  name: string,
  program: string,
  { words, place }: { readonly words: readonly Word[]; readonly place: Place },
): readonly Effect[] {
  const tool = delegated(name, words);
  if (tool !== undefined)
    return [
      ...tool.effects,
      ...(tool.words.length === 0 ? [] : programEffects(tool.words[0]?.text ?? "", tool.words, place)),
    ];
  return programEffects(program.includes("/") && findProgram([program]) !== undefined ? program : name, words, place);
}

const UNLISTED = { options: "", operands: "~", open: true };

function programEffects(name: string, words: readonly Word[], place: Place): readonly Effect[] {
  const found = findProgram([name, ...words.slice(1).map(({ text }) => text)]);
  const feeds = place.feed.kind === "none" ? [] : interpreterInput(name, words);
  if (found === undefined) {
    const given = readArguments(UNLISTED, words.slice(1));
    return [
      ...effectsOf(UNLISTED, given).map((effect) => (effect.kind === "guess" ? { ...effect, writes: true } : effect)),
      ...feeds,
    ];
  }
  const { program, depth } = found;
  const rest = words.slice(depth);
  const open = rest.some((item) => item.open === true) ? [SEVERAL] : [];
  if (program.whole !== undefined) return [...program.whole(rest), ...open];
  const given = readArguments(program, rest);
  const repository = name === "git" ? gitUse(words[1]?.text ?? "", given) : [];
  return [
    ...repository,
    ...effectsOf(program, given),
    ...(program.more?.(given, rest) ?? []),
    ...feeds,
    ...(isActive(program) ? open : []),
  ];
}

const SEVERAL = doubt("operand-unknown", "an unquoted value, only known at run time, may become options or more words");

/** Names of interpreters that read a program from standard input when they get no file. */
function interpreterInput(name: string, words: readonly Word[]): readonly Effect[] {
  return /^(?:python[\d.]*|node|perl|ruby|php|lua|deno|bun)$/.test(name) && words.length === 1
    ? inputEffects({ kind: "unknown" })
    : [];
}

/** What the rules have to say about a command. */
type Ruling = Pick<Judged, "explicit" | "allowedBy">;

/** Reports the verdict of the rules, or the fallback. */
function judgeRules(forms: ArgvForms, place: Place, text: string): Ruling {
  const { exam } = place;
  const match = matchRules(exam.policy, forms);
  if (match !== undefined) {
    for (const rule of match.rules) report(exam, ruleFinding(rule, text));
    return {
      explicit: match.rules.some((rule) => rule.argv.length > 0),
      allowedBy: match.verdict === "allow" ? allower(match.rules) : undefined,
    };
  }
  const { fallback } = exam.policy.policy;
  report(exam, {
    verdict: fallback,
    code: "no-rule",
    rule: "fallback",
    because: fallback === "allow" ? "nothing forbids this program" : "no rule knows this command",
    fragment: text,
  });
  return { explicit: false, allowedBy: fallback === "allow" ? "user" : undefined };
}

function allower(rules: readonly Rule[]): "user" | "preset" {
  return rules.some(({ source }) => source !== "preset") ? "user" : "preset";
}

/** Wrappers and built-ins need no rule, but a rule may restrict them. */
function restrict(forms: ArgvForms, place: Place, text: string): Ruling {
  const match = matchRules(place.exam.policy, forms);
  if (match === undefined || match.verdict === "allow") {
    report(place.exam, {
      verdict: "allow",
      code: "shell-itself",
      rule: "shell",
      because: "the shell itself does this, or only passes a command on",
      fragment: text,
    });
    return { explicit: false };
  }
  for (const rule of match.rules) report(place.exam, ruleFinding(rule, text));
  return { explicit: true };
}

function ruleFinding(rule: Rule, fragment: string): Finding {
  const code = rule.argv.length === 0 ? "rule-any" : `rule-${rule.verdict}`;
  return { verdict: rule.verdict, code, rule: rule.id, because: rule.because, fragment };
}
