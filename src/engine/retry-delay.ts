import type { EngineSettings } from "../contract/engine-settings.ts";
import type { ModelError } from "../models/model-error.ts";
import type { Clock } from "./parts.ts";

interface Pace {
  readonly settings: EngineSettings;
  readonly clock: Clock;
}

/** What a provider may ask us to wait at most; longer, and it is clearer to fail. */
const MAX_ASKED = 600_000;

/**
 * Milliseconds before the next try: what the provider asked for, but not less than the first step, else half to all of a
 * doubling step under the cap. Null when the provider asks for more than anyone should wait.
 */
export function retryDelay(tries: number, error: ModelError, { settings, clock }: Pace): number | null {
  const asked = error.retryAfterMs;
  if (asked !== undefined) return asked > MAX_ASKED ? null : Math.max(asked, settings.retry_base_ms);
  const step = Math.min(settings.retry_cap_ms, settings.retry_base_ms * 2 ** (tries - 1));
  return Math.round(step * (0.5 + clock.random() / 2));
}
