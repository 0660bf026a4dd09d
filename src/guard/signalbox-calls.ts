import type { AgentCall } from "../contract/agent-call.ts";
import type { Machine } from "../contract/machine.ts";
import type { Policy } from "../contract/policy.ts";
import type { Decision, GuardFinding } from "../contract/verdict.ts";
import { isBelow, realPath } from "../lib/path/real-path.ts";
import { plainRecipeRun } from "../lib/text/recipe-command.ts";
import { splitWords } from "../lib/text/shell-words.ts";
import type { judge, JudgeExtras } from "./judge/judge.ts";
import { commandOf, toolKind } from "./judge/tool-call.ts";
import { OWN_RECIPES, RUN_RECIPES } from "./presets/own-commands.ts";

/** Characters that would make a shell do more than run one program. Quoted ones are removed before this is asked. */
const SHELL = /[;&|<>()`$\n\r\\*?[\]{}~#!]/;

const QUOTED = /'[^']*'|"[^"$`\\!]*"/g;

const CALL = /^\s*(?:npx\s+)?signalbox\s+(?:sandbox\s+)?outside(?:\s|$)/;

const ANYWHERE = /\bsignalbox['"]?\s+(?:['"]?sandbox['"]?\s+)?['"]?outside\b/;

type OutsideCommand =
  | { readonly kind: "none" }
  /** The command after `signalbox outside --`, as one line. */
  | { readonly kind: "outside"; readonly command: string }
  /** It asks to leave the sandbox, but together with something else. */
  | { readonly kind: "mixed" };

/** Reads `signalbox outside -- CMD`. Only a single program without shell syntax can leave the sandbox this way. */
export function outsideCommand(source: string): OutsideCommand {
  if (!ANYWHERE.test(source)) return { kind: "none" };
  if (!CALL.test(source) || SHELL.test(source.replaceAll(QUOTED, ""))) return { kind: "mixed" };
  const words = splitWords(source) ?? [];
  const [separator, first] = words.slice(words.indexOf("outside") + 1);
  if (separator !== "--" || first === undefined) return { kind: "mixed" };
  return { kind: "outside", command: source.slice(source.indexOf("--") + 2).trim() };
}

/**
 * The decision about leaving the sandbox, given the decision about the same command outside. Needs approval unless an
 * exact rule of a policy file allows it.
 */
export function outsideDecision(command: string, decision: Decision, { interactive, rules }: Policy): Decision {
  const isExact = (id: string) => rules.some((rule) => rule.id === id && rule.exact && rule.source !== "preset");
  const words = splitWords(command)?.join(" ");
  // A preset may allow the same command inside; what counts is that a rule names all of it.
  const isNamed = decision.findings.some(
    ({ verdict, rule, fragment }) => verdict === "allow" && isExact(rule) && splitWords(fragment)?.join(" ") === words,
  );
  if (decision.verdict !== "allow" || isNamed || decision.rules.every(isExact))
    return { ...decision, contained: false };
  const because = "runs outside the sandbox, with everything that you can reach";
  const need = { kind: "outside", target: "signalbox outside", because } as const;
  const finding: GuardFinding = {
    verdict: "ask",
    code: "outside",
    rule: "sandbox",
    because,
    fragment: command,
    need,
  };
  const unasked = ", and nobody is available to approve it";
  return {
    ...decision,
    verdict: interactive ? "ask" : "deny",
    code: finding.code,
    rules: [finding.rule],
    because: `${because}${interactive ? "" : unasked}`,
    findings: [...decision.findings, finding],
    contained: false,
    needs: [need],
  };
}

/**
 * The decision about `signalbox outside -- CMD`: CMD is judged as it would be without a sandbox. The judge is passed in,
 * because the hook loads this file without it.
 */
export function leaveSandbox(
  call: AgentCall,
  policy: Policy,
  machine: Machine & JudgeExtras,
  judgeCall: typeof judge,
): Decision | undefined {
  if ((machine.contained ?? []).length === 0 || toolKind(call.tool) !== "shell") return undefined;
  const source = commandOf(call.input);
  const wanted = source === undefined ? NONE : outsideCommand(source);
  if (source === undefined || wanted.kind === "none") return undefined;
  if (wanted.kind === "mixed") return mixedOutside(source);
  const bare = { ...call, input: { command: wanted.command } };
  const uncontained = { ...machine, contained: undefined, recoverable: undefined };
  return outsideDecision(wanted.command, judgeCall(bare, policy, uncontained), policy);
}

const NONE = { kind: "none" } as const;

/** The decision about a command that mixes `signalbox outside` with something else. */
function mixedOutside(source: string): Decision {
  const because = "signalbox outside must be the whole command, without pipes, redirections or variables";
  const finding: GuardFinding = {
    verdict: "deny",
    code: "outside-mixed",
    rule: "sandbox",
    because,
    fragment: source.slice(0, 120),
    instead: "run signalbox outside -- CMD as a call of its own",
  };
  return { verdict: "deny", code: finding.code, rules: [finding.rule], because, findings: [finding], effects: [] };
}

/** What the judge knows about the session. */
interface SessionFacts {
  readonly readLink: Machine["readLink"];
  readonly kind?: Machine["kind"];
  readonly contained?: readonly unknown[] | undefined;
  readonly tainted?: boolean | undefined;
}

/**
 * The policy for a call of a recipe: for a plain one in a contained session, the preset's question does not count. Not
 * after untrusted text, and not in a folder for which other rules hold than for the session.
 */
export function recipePolicy(call: AgentCall, source: string, policy: Policy, machine: SessionFacts): Policy {
  const isContained = (machine.contained ?? []).length > 0 && machine.tainted !== true;
  const isAllowed = policy.rules.some(({ id, verdict }) => id === RUN_RECIPES && verdict === "allow");
  if (!isContained || !isAllowed || plainRecipeRun(source) === undefined || !isInWorkspace(call.cwd, policy, machine))
    return policy;
  return { ...policy, rules: policy.rules.filter(({ id, source: from }) => id !== OWN_RECIPES || from !== "preset") };
}

/** Whether a recipe in this folder would have the same workspace, and so the same policy files. */
function isInWorkspace(cwd: string | undefined, policy: Policy, machine: SessionFacts): boolean {
  if (cwd === undefined) return false;
  const root = realPath(policy.workspaceRoot, "/", machine.readLink);
  let folder = realPath(cwd, "/", machine.readLink);
  if (!isBelow(folder, root)) return false;
  for (; folder !== root && folder.length > root.length; folder = folder.slice(0, folder.lastIndexOf("/")))
    if ([".git", ".signalbox/policy.yaml"].some((name) => machine.kind?.(`${folder}/${name}`) !== undefined))
      return false;
  return true;
}
