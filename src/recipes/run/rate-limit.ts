import { setTimeout as sleep } from "node:timers/promises";
import type { AgentOutcome, RecipeParts } from "./run-parts.ts";

type RunAgent = RecipeParts["runAgent"];

interface RateLimitParts {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly warn: (text: string) => void;
}

/** How providers and agents say that somebody asked too often. */
const RATE_LIMITED = /\brate.?limit|too many requests|\b429\b|\breset in\b/i;

/**
 * Repeats an agent step that its provider refused for asking too often, after a minute and then twice as long each time.
 * The ancestor's variables change how often and how long.
 */
export function withRateLimit(runAgent: RunAgent, { env, warn }: RateLimitParts): RunAgent {
  const times = numberIn(env["AMPLIHACK_RATELIMIT_MAX_RETRIES"], { usual: 5, max: 100 });
  const base = numberIn(env["AMPLIHACK_RATELIMIT_BASE_DELAY_SECS"], { usual: 60, max: 3600 });
  const longest = numberIn(env["AMPLIHACK_RATELIMIT_MAX_DELAY_SECS"], { usual: 600, max: 3600 });
  return async (request, signal) => {
    let costUsd = 0;
    for (let attempt = 0; ; attempt++) {
      const outcome = await runAgent(request, signal);
      costUsd += outcome.costUsd;
      if (attempt >= times || signal.aborted || !isRateLimited(outcome)) return { ...outcome, costUsd };
      const wait = Math.min(base * 2 ** attempt, longest);
      warn(`${request.step}: the provider limits the rate of requests; trying again in ${wait} s`);
      await sleep(wait * 1000, undefined, { signal }).catch(() => undefined);
    }
  };
}

const isRateLimited = ({ ok, because, text }: AgentOutcome) => !ok && RATE_LIMITED.test(`${because}\n${text}`);

/** A whole number from 0 to `max`, or the usual one. */
function numberIn(text: string | undefined, { usual, max }: { readonly usual: number; readonly max: number }): number {
  return text !== undefined && /^\d{1,6}$/.test(text) ? Math.min(Number(text), max) : usual;
}
