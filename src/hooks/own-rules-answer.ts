import { printableLine } from "../lib/text/printable.ts";
import { homedir } from "node:os";
import { findDialect } from "../agents/find-dialect.ts";
import type { HookAnswer, ToolBefore } from "../contract/hook-event.ts";
import type { OwnRules } from "../contract/own-rules.ts";
import { toolKind } from "../guard/judge/tool-call.ts";
import { realMachine } from "../guard/machine/real-machine.ts";
import { isAllowedByOwnRules, judgeByOwnRules, type OwnVerdict } from "../guard/own-rules.ts";
import { isRecord } from "../lib/json/json-value.ts";
import { type HookContext, type HookSettings, launchedOwnRules } from "./hook-context.ts";

/** What the agent's own rules say about a call that would be rewritten. */
export interface OwnRulesAnswer {
  /** A denial or a question, or nothing. */
  readonly answer: HookAnswer;
  /** Why the call must stay as it is, so that the agent itself decides. It then runs outside our sandbox. */
  readonly leftToAgent?: string | undefined;
}

const NOTHING: OwnRulesAnswer = { answer: {} };

const UNKNOWN_RULES: HookAnswer = {
  verdict: "deny",
  because: "Blocked, because the agent's own rules were not read at the launch. Tell the user to restart the agent.",
};

/**
 * Judges a shell call of a contained session by the agent's own rules, which would only see the rewritten command. Calls
 * of other tools are not rewritten, so the agent itself judges them.
 */
export function ownRulesAnswer(
  event: ToolBefore,
  { settings, ownRules }: { settings: HookSettings; ownRules?: HookContext["ownRules"] },
): OwnRulesAnswer {
  if (toolKind(event.tool) !== "shell") return NOTHING;
  if (settings.ownRules === undefined) return { answer: UNKNOWN_RULES };
  const command = isRecord(event.input) ? event.input["command"] : undefined;
  if (typeof command !== "string") return NOTHING;
  // In plan mode the agent runs nothing that changes something. Our `allow` would override that.
  if (event.mode === "plan") return { answer: {}, leftToAgent: "the agent is in plan mode" };
  const rules = ownRules?.() ?? launchedOwnRules(settings.ownRules);
  if (rules.unreadable !== undefined) return { answer: changed(rules.unreadable) };
  const found = judgeByOwnRules(command, rules, placeOf(event, settings));
  if (found !== undefined) return answerOf(found, event, settings);
  // What no rule allows is denied in this mode, except what the agent itself knows to be harmless.
  if (event.mode !== "dont-ask" || isAllowedByOwnRules(command, rules.allow)) return NOTHING;
  return { answer: {}, leftToAgent: "the agent is in a mode without questions, and no rule of yours allows it" };
}

function placeOf({ cwd }: ToolBefore, { workspace }: HookSettings) {
  const root = workspace ?? cwd ?? process.cwd();
  return { cwd: cwd ?? root, workspace: root, home: homedir(), machine: realMachine };
}

function changed({ rule, where }: NonNullable<OwnRules["unreadable"]>): HookAnswer {
  return {
    verdict: "deny",
    because: `Blocked, because one of the agent's own rules cannot be read any more: ${printableLine(`${rule} in ${where}`)}. Tell the user to fix it and to restart the agent.`,
  };
}

function answerOf(
  { verdict, because: given, literal }: OwnVerdict,
  event: ToolBefore,
  settings: HookSettings,
): OwnRulesAnswer {
  const because = printableLine(given);
  if (verdict === "deny") return { answer: { verdict, because } };
  const canAsk = settings.interactive && event.mode !== "dont-ask";
  if (canAsk && findDialect(settings.agent).asks)
    return { answer: { verdict, because: `signalbox asks for your approval: ${because}.` } };
  // A hook of this agent cannot ask, but the agent asks by its own rule when it sees the plain command.
  if (canAsk && literal) return { answer: {}, leftToAgent: because };
  const denied = `Blocked: ${because}, and nobody can approve it here. Do not retry it in another form; tell the user.`;
  return { answer: { verdict: "deny", because: denied } };
}
