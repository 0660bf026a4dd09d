import type { LoopEvent } from "../../contract/engine-event.ts";
import type { History } from "../../contract/history.ts";
import type { Compaction } from "./compaction.ts";
import type { LoopParts } from "../parts.ts";
import { recorded } from "../recorded.ts";
import { requestStep } from "../run-turns.ts";
import { toolOffers } from "../tool-offers.ts";

type Parts = Pick<LoopParts, "model" | "budget" | "system" | "tools" | "signal" | "beside"> & {
  readonly compaction: Compaction;
};

/** The request that a run would begin with. */
const nextRequest = (history: History, parts: Parts) =>
  requestStep(0, { run: { history }, offers: toolOffers(parts.tools)().offers, parts });

/** The tokens of the next request, and the model's window. */
export const measureNext = (history: History, parts: Parts) => parts.compaction.measure(nextRequest(history, parts));

/** Shortens a history while no run is going on. */
export const compactNow = (history: History, parts: Parts): AsyncGenerator<LoopEvent, void> =>
  recorded(parts.compaction.now(nextRequest(history, parts)), history, parts.beside);
