import { modelRow } from "./catalog/catalog.ts";
import type { ModelChoice } from "./choose-model.ts";
import { limitsOf, type ModelLimits } from "./limits.ts";
import { canTellWindow, serverWindow } from "./server-window.ts";
import type { WireSettings } from "./wire-fetch.ts";

interface KnownLimits {
  readonly now: () => ModelLimits;
  readonly learn: (signal: AbortSignal) => Promise<void>;
  /** Learns again what is still uncertain, if anybody wanted to know, and until they no longer do. */
  readonly learnMore: () => Promise<void>;
}

/** An uncertain window is asked for again, but not for ever. */
const MAX_ASKED = 3;

/** The limits of a model, better known once its server has been asked. */
export function knownLimits(choice: ModelChoice, send?: WireSettings["send"]): KnownLimits {
  const row = modelRow(choice.provider, choice.id);
  let limits = limitsOf(row);
  let asking: Promise<void> | undefined;
  let left = canTellWindow(choice) ? MAX_ASKED : 0;
  const ask = async (signal: AbortSignal) => {
    left--;
    const window = await serverWindow(choice, signal, send);
    if (window !== undefined) limits = limitsOf(row, window.tokens);
    if (window?.certain === true) left = 0;
    asking = undefined;
  };
  // Outlives a request, so that a silent server holds up neither the request nor the end of the program.
  let wanted: AbortSignal | undefined;
  const learn = async (signal: AbortSignal) => {
    wanted = signal;
    if (left > 0 || asking !== undefined) await (asking ??= ask(signal));
  };
  return {
    now: () => limits,
    learn,
    learnMore: async () => {
      if (wanted?.aborted === false) await learn(wanted);
    },
  };
}
