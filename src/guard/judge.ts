import { isRecord, strings } from "../lib/is-record.ts";
import { lexicalPath } from "./paths/resolve.ts";
import type { Policy } from "./policy/policy.ts";
import { exportEffects } from "../shell/environment.ts";
import { type ReadyPolicy, ready } from "./policy/ready-policy.ts";
import { examineShell } from "./examine/examine.ts";
import type { SeenEffect } from "./examine/examination.ts";
import { judgeFields } from "./fields.ts";
import { judgeToolName } from "./tool-rules.ts";
import { type ToolCall, toolKind } from "./tool-call.ts";
import { type Finding, stricter, tellingFirst, type Verdict } from "./verdict.ts";
import type { World } from "./world.ts";
import { messageOf } from "../lib/message-of.ts";

/** What the judge says about one call. */
export interface Decision {
  readonly verdict: Verdict;
  /** The code of the finding that decided. */
  readonly code: string;
  /** Rules and floors that spoke for this verdict. */
  readonly rules: readonly string[];
  readonly because: string;
  readonly findings: readonly Finding[];
  readonly effects: readonly SeenEffect[];
}

/** What a text screen says; passed in, because it lives in its own folder. */
export type Screen = (text: string) => {
  readonly risk: "none" | "low" | "medium" | "high" | "critical";
  readonly findings: readonly { readonly because: string }[];
};

export interface JudgeExtras {
  /** Looks for injected instructions in shell input; can only make a verdict stricter. */
  readonly screen?: Screen | undefined;
  /** Text from outside has asked for something since the user last spoke: network, protected paths and new programs are asked about. */
  readonly tainted?: boolean | undefined;
}

/** May this call happen? Pure: everything about the machine comes from `world`. Never throws; whatever goes wrong is a denial. */
export function judge(call: ToolCall, policy: Policy, world: World & JudgeExtras): Decision {
  try {
    const prepared = ready(policy);
    const { findings, effects } = examine(call, prepared, world);
    const raised = [...findings, ...(world.tainted === true ? raiseTaint(findings, effects) : [])];
    return decide(raised, effects, policy.interactive);
  } catch (error) {
    const because = `the guard failed, so nothing may happen: ${messageOf(error)}`;
    const finding: Finding = {
      verdict: "deny",
      code: "guard-failed",
      rule: "floor:fail-shut",
      because,
      fragment: call.tool,
    };
    return { verdict: "deny", code: finding.code, rules: [finding.rule], because, findings: [finding], effects: [] };
  }
}

interface Examined {
  readonly findings: readonly Finding[];
  readonly effects: readonly SeenEffect[];
}

function examine(call: ToolCall, policy: ReadyPolicy, world: World & JudgeExtras): Examined {
  // The clock is read first, so that a world without one is noticed before anything is allowed.
  if (!Number.isFinite(world.now())) throw new Error("the clock does not answer");
  const named = judgeToolName(call.tool, policy);
  const garbled = garbledText(call.input);
  if (toolKind(call.tool) !== "shell") {
    const { findings, effects } = judgeFields(call, { policy, world });
    return { findings: [...named, ...garbled, ...findings], effects };
  }
  const command = commandOf(call.input);
  if (command === undefined)
    return { findings: [...named, broken("the call has no command, or more than one")], effects: [] };
  const cwd = workingFolder(call, policy.policy);
  if (cwd === undefined)
    return { findings: [...named, broken("the working folder is not an absolute path")], effects: [] };
  const shell = call.shell === "foreign" ? "any" : call.shell;
  const exam = examineShell(command, { policy, world, cwd, shell });
  const beside = judgeFields({ ...call, input: besideCommand(call.input) }, { policy, world }).findings;
  return {
    findings: [
      ...named,
      ...garbled,
      ...exam.findings,
      ...beside.filter(({ verdict }) => verdict !== "allow"),
      ...variableFindings(call.input),
      ...(call.shell === "foreign" ? [foreignShell(command)] : []),
      ...screenFindings(command, world.screen),
    ],
    effects: exam.seen,
  };
}

function foreignShell(command: string): Finding {
  const because = "it names a shell that signalbox does not read; run it in bash, or leave the shell out";
  return { verdict: "ask", code: "shell-foreign", rule: "proof", because, fragment: command.slice(0, 120) };
}

/** Bytes that were no text arrive as U+FFFD: what would run is not what is judged. */
function garbledText(input: unknown): readonly Finding[] {
  if (!(JSON.stringify(input) ?? "").includes("\ufffd")) return [];
  const because = "it holds bytes that are no text, so what would run cannot be read";
  return [{ verdict: "ask", code: "encoding", rule: "floor:encoding", because, fragment: "\ufffd" }];
}

const FOLDER_KEYS = ["workdir", "cwd", "working_directory", "workingDirectory", "directory", "dir"] as const;

/** Everything that a shell tool is given but the command itself and its variables. */
function besideCommand(input: unknown): unknown {
  if (!isRecord(input)) return {};
  return Object.fromEntries(
    Object.entries(input).filter(([key]) => !/^(?:command|cmd|script|args|env|environment)$/.test(key)),
  );
}

/** Variables that a tool sets for the command are judged like those in front of it. */
function variableFindings(input: unknown): readonly Finding[] {
  const given = isRecord(input) ? (input["env"] ?? input["environment"]) : undefined;
  if (given === undefined) return [];
  if (!isRecord(given)) return [broken("the variables of the command are not named values")];
  return Object.entries(given).flatMap(([name, value]) =>
    exportEffects(name, { text: String(value), glob: false }).flatMap((effect): readonly Finding[] =>
      effect.kind === "doubt"
        ? [
            {
              verdict: effect.verdict,
              code: effect.code,
              rule: `effect:${effect.code}`,
              because: effect.because,
              fragment: name,
            },
          ]
        : [],
    ),
  );
}

function broken(because: string): Finding {
  return { verdict: "deny", code: "input", rule: "floor:input", because, fragment: "" };
}

const COMMAND_KEYS = ["command", "cmd", "script"] as const;

/** The command text: a string, or an argv as some agents send it. Two of them in one call have no one meaning. */
function commandOf(input: unknown): string | undefined {
  if (!isRecord(input)) return undefined;
  const given = COMMAND_KEYS.map((key) => input[key]).filter((value) => value !== undefined);
  const [only] = given;
  if (given.length !== 1) return undefined;
  const texts = strings(input["args"]) ?? [];
  if (input["args"] !== undefined && strings(input["args"]) === undefined) return undefined;
  if (typeof only === "string") return [only, ...texts.map(quoted)].join(" ");
  return strings(only)?.concat(texts).map(quoted).join(" ");
}

const quoted = (part: string) => `'${part.replaceAll("'", `'\\''`)}'`;

/** The folder that the command runs in: the agent's, or one that the call names relative to it. */
function workingFolder(call: ToolCall, policy: Policy): string | undefined {
  const base = call.cwd ?? policy.workspaceRoot;
  if (!base.startsWith("/")) return undefined;
  const { input } = call;
  const named = isRecord(input)
    ? FOLDER_KEYS.map((key) => input[key]).find((value) => typeof value === "string")
    : undefined;
  return named === undefined ? base : lexicalPath(named, base);
}

function screenFindings(text: string, screen: Screen | undefined): readonly Finding[] {
  const result = screen?.(text);
  if (result === undefined || (result.risk !== "high" && result.risk !== "critical")) return [];
  const because = result.findings[0]?.because ?? "the text tries to steer an agent";
  return [{ verdict: "deny", code: "injection", rule: "screen", because, fragment: text.slice(0, 120) }];
}

/** After text from outside, what was allowed without a rule of its own, the network and changes need a person. */
function raiseTaint(findings: readonly Finding[], effects: readonly SeenEffect[]): readonly Finding[] {
  const reaches = effects.find(({ kind }) => kind === "network");
  const unnamed = findings.find(
    ({ code, verdict }) => (code === "no-rule" || code === "rule-any") && verdict === "allow",
  );
  if (reaches === undefined && unnamed === undefined) return [];
  return [
    {
      verdict: "ask",
      code: "taint",
      rule: "taint",
      because: "text from outside was read since you last spoke, and this reaches out or runs something new",
      fragment: reaches?.target ?? unnamed?.fragment ?? "",
    },
  ];
}

/** Joins findings: the strictest wins; nobody to ask turns `ask` into `deny`. */
function decide(findings: readonly Finding[], effects: readonly SeenEffect[], interactive: boolean): Decision {
  const joined = findings.reduce<Verdict>(
    (verdict, finding) => stricter(verdict, finding.verdict),
    findings.length === 0 ? "deny" : "allow",
  );
  const deciding = tellingFirst(findings.filter((finding) => finding.verdict === joined));
  const [first] = deciding;
  const verdict = joined === "ask" && !interactive ? "deny" : joined;
  const because = first?.because ?? "nothing is known about this call";
  return {
    verdict,
    code: first?.code ?? "unknown",
    rules: [...new Set(deciding.map(({ rule }) => rule))],
    because: verdict === joined ? because : `${because}, and nobody is there to ask`,
    findings,
    effects,
  };
}
