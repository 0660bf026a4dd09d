import type { AgentEvent } from "../../contract/agent-event.ts";
import { Usage } from "../../contract/receipt.ts";
import { addUsage } from "../../contract/usage-total.ts";

/** What the rounds before have counted. */
interface CountsBefore {
  readonly round: number | undefined;
  readonly turns: number;
  readonly used: Usage;
}

/**
 * An event of a later round in the terms of the whole run. A host that is started again begins its counts, and often the
 * ids of its calls, anew.
 */
export function eventOfRun(event: AgentEvent, { round, turns, used }: CountsBefore): AgentEvent {
  if (round === undefined || round === 1) return event;
  const counted = { ...event, ...extOfRun(event.ext, turns, used) };
  if (counted.type === "tool_result") return { ...counted, tool_use_id: idOfEvent(counted.tool_use_id, round) };
  if (counted.type !== "tool_call") return counted;
  const { tool_use_id: id, parent_tool_use_id: parent } = counted;
  return { ...counted, tool_use_id: idOfEvent(id, round), parent_tool_use_id: idOfEvent(parent, round) };
}

function extOfRun(ext: AgentEvent["ext"], turns: number, used: Usage): Pick<AgentEvent, "ext"> {
  const { turn, usage } = ext ?? {};
  const counted = Usage.safeParse(usage);
  const total = usage !== undefined && counted.success ? { usage: addUsage(used, counted.data) } : {};
  return { ext: { ...ext, ...(typeof turn === "number" ? { turn: turn + turns } : {}), ...total } };
}

const idOfEvent = (id: string | null, round: number): string | null => idInRound(id ?? undefined, round) ?? null;

/** The id of a call in the whole run. */
export const idInRound = (id: string | undefined, round = 1): string | undefined =>
  id === undefined || round === 1 ? id : `${id}#${round}`;
