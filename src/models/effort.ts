import type { JSONObject } from "@ai-sdk/provider";
import { Effort } from "../contract/engine-settings.ts";
import { nearest } from "../lib/text/nearest.ts";
import { UserError } from "../lib/text/user-error.ts";
import { modelRow } from "./catalog/catalog.ts";
import type { ModelChoice, WireName } from "./choose-model.ts";

/** How much a model thinks. It is read with every request, so that it can change during a session. */
export interface ThinkingEffort {
  /** Undefined: the provider decides. */
  readonly level: Effort | undefined;
  /** Throws a UserError if the model cannot. Returns what the user should know, if anything. */
  set(level: Effort | undefined, where: string): string | undefined;
}

export function thinkingEffort(choice: ModelChoice): ThinkingEffort {
  let level: Effort | undefined;
  return {
    get level() {
      return level;
    },
    set(next, where) {
      const note = next === undefined ? undefined : checkEffort(choice, next, where);
      level = next;
      return note;
    },
  };
}

/** An effort that the user wrote. */
export function readEffort(text: string, where: string): Effort {
  const effort = Effort.safeParse(text);
  if (effort.success) return effort.data;
  const near = nearest(text, Effort.options);
  throw new UserError(`unknown effort "${text.slice(0, 50)}"`, {
    where,
    fix: near === undefined ? `use one of ${Effort.options.join(", ")}` : `did you mean ${near}?`,
  });
}

function checkEffort({ provider, wire, id }: ModelChoice, effort: Effort, where: string): string | undefined {
  const name = `${provider}/${id}`;
  const thinking = modelRow(provider, id)?.thinking;
  if (thinking === undefined) return `${name} is not in the catalogue; effort ${effort} is passed on unchecked`;
  if (thinking.kind === "none") {
    throw new UserError(`${name} does not think, so its effort cannot be set`, {
      where,
      fix: "leave it out, or choose a model that thinks (signalbox models lists them)",
    });
  }
  if (thinking.kind === "effort" && thinking.notInChat === true && wire === "chat") {
    throw new UserError(`${name} cannot think and use tools over Chat Completions`, {
      where,
      fix: `use openai/${id}, which uses the Responses protocol`,
    });
  }
  if (thinking.kind === "budget") return undefined;
  const used = levelIn(thinking.levels, effort);
  return effort === "max" || used === effort ? undefined : `${name} has no effort ${effort}; ${used} is used`;
}

/** The provider's options for thinking, by the name of its package. */
export function thinkingOptions(choice: ModelChoice, effort: Effort | undefined): Record<string, JSONObject> {
  const { provider, wire, id } = choice;
  const thinking = modelRow(provider, id)?.thinking;
  const isBound = thinking?.kind === "adaptive" && thinking.isBound === true;
  if (effort === undefined) return isBound ? { anthropic: { thinking: BOUND } } : {};
  const level = thinking !== undefined && "levels" in thinking ? levelIn(thinking.levels, effort) : effort;
  const budget = thinking?.kind === "budget" ? Math.min(BUDGETS[effort], thinking.most) : undefined;
  const options = WIRE_OPTIONS[wire](level, budget);
  return isBound ? { anthropic: { ...options["anthropic"], thinking: BOUND } } : options;
}

const ADAPTIVE = { type: "adaptive", display: "summarized" };

/** Such a model also says between its calls what it does as thinking, which is empty unless a summary is asked for. */
const BOUND = { ...ADAPTIVE, blockBinding: { prefixMismatchBehavior: "drop_block" } };

type Options = (level: string, budget: number | undefined) => Record<string, JSONObject>;

const openai: Options = (reasoningEffort) => ({
  // Without `forceReasoning` the package drops the effort of a model that it does not know. Summaries of thinking are
  // not asked for, because OpenAI refuses them to organizations that are not verified.
  openai: { reasoningEffort, forceReasoning: true, reasoningSummary: null },
});

const WIRE_OPTIONS: Readonly<Record<WireName, Options>> = {
  anthropic: (effort, budgetTokens) => ({
    anthropic:
      budgetTokens === undefined ? { thinking: ADAPTIVE, effort } : { thinking: { type: "enabled", budgetTokens } },
  }),
  responses: openai,
  chat: (reasoningEffort) => ({ openai: { reasoningEffort, forceReasoning: true } }),
  google: (level, thinkingBudget) => ({
    // Its highest level is `high`.
    google: { thinkingConfig: thinkingBudget === undefined ? { thinkingLevel: highest(level) } : { thinkingBudget } },
  }),
  compatible: (reasoningEffort) => ({ compatible: { reasoningEffort } }),
};

const highest = (level: string) => (level === "max" ? "high" : level);

/** Tokens for models that take a number. A row says how many the model takes at most. */
const BUDGETS: Readonly<Record<Effort, number>> = { low: 4_000, medium: 10_000, high: 20_000, max: 32_000 };

const ORDER = ["minimal", "low", "medium", "high", "xhigh", "max"];

/** The level of a model that is nearest to an effort, and not below it if there is one. */
function levelIn(levels: readonly string[], effort: Effort): string {
  const sorted = ORDER.filter((level) => levels.includes(level));
  const least = ORDER.indexOf(effort);
  return sorted.find((level) => ORDER.indexOf(level) >= least) ?? sorted.at(-1) ?? effort;
}
