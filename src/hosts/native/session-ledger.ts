import type { SessionEvent } from "../../contract/engine-event.ts";
import type { Model } from "../../models/model.ts";
import type { Replayed } from "../../sessions/replay.ts";
import type { Session } from "../../sessions/session.ts";
import { recordEvent } from "./record-event.ts";

/** Writes what happens in a session to its log, before anyone else sees it, and adds up what it costs. */
export interface SessionLedger {
  /** In US dollars, from the beginning of the session; undefined when the price of any request is unknown. */
  readonly cost: number | undefined;
  readonly log: (event: SessionEvent) => SessionEvent;
  /** Logs the model and its effort if they are not those that the log names. */
  readonly logModel: () => void;
}

type Known = Pick<Replayed, "model" | "baseUrl" | "effort" | "cost">;

interface LedgerParts {
  readonly model: Model;
  readonly onShortened?: () => void;
}

export function openLedger(session: Session, before: Known, { model, onShortened }: LedgerParts): SessionLedger {
  let { cost } = before;
  const isNew = session.before.length === 0;
  let logged = isNew
    ? { name: model.name, baseUrl: model.baseUrl, effort: undefined }
    : { name: before.model, baseUrl: before.baseUrl, effort: before.effort };
  return {
    get cost() {
      return cost;
    },
    log(event) {
      const record = recordEvent(event);
      if (record !== undefined) session.append(record);
      if (record?.type === "usage")
        cost = cost === undefined || record.cost === undefined ? undefined : cost + record.cost;
      if (event.type === "history-replaced") onShortened?.();
      return event;
    },
    logModel() {
      const { name, baseUrl, effort } = model;
      if (logged.name === name && logged.baseUrl === baseUrl && logged.effort === effort) return;
      logged = { name, baseUrl, effort };
      const where = baseUrl === undefined ? {} : { baseUrl };
      session.append({ type: "model", model: name, ...where, ...(effort === undefined ? {} : { effort }) });
    },
  };
}
