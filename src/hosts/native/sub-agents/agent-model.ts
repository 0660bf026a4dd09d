import type { Model } from "../../../models/model.ts";
import type { OtherModels } from "../../../models/other-models.ts";
import type { AgentOrder } from "./agent-order.ts";

interface AgentModel {
  readonly model: Model;
  /** Why it is not the one that was asked for. */
  readonly note?: string;
}

interface SessionModels {
  readonly model: Model;
  readonly otherModels?: OtherModels | undefined;
  readonly mostCost?: number | undefined;
}

/** The model of a sub-agent: what the caller asked for, what its definition says, or the session's. */
export function agentModel(
  { model: wanted, definition }: Pick<AgentOrder, "model" | "definition">,
  { model: own, otherModels, mostCost }: SessionModels,
): AgentModel {
  const name = wanted ?? definition.model;
  if (name === undefined || name === "inherit" || name === own.name) return { model: own };
  const instead = (why: string): AgentModel => ({ model: own, note: `${why}; ${own.name} was used instead` });
  if (name === "small") return { model: priced(otherModels?.small(), mostCost) ?? own };
  const found = otherModels?.named(name) ?? { why: `the model ${name} is not available` };
  if ("why" in found) return instead(found.why);
  return priced(found, mostCost) === undefined
    ? instead(`the price of ${found.name} is unknown, and this session has a cost limit`)
    : { model: found };
}

const NOTHING = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** A model without a price would end a session that has a cost limit. */
const priced = (model: Model | undefined, mostCost: number | undefined) =>
  mostCost !== undefined && model?.cost(NOTHING) === undefined ? undefined : model;
