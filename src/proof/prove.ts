import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FoundBinary } from "../agents/find-binary.ts";
import type { Agent } from "../agents/pack/agent.ts";
import type { AgentName } from "../contract/agent.ts";
import { offlineOf } from "./proof-state.ts";
import type { Proving } from "./prove-agent.ts";
import { openTrialPlace, type TrialPlace } from "./trial-place.ts";

/** An installed agent that can be tested. */
export interface Candidate {
  readonly agent: Agent;
  readonly name: AgentName;
  readonly binary: FoundBinary;
}

export interface ProveParts extends Proving {
  readonly version: string;
  readonly env: NodeJS.ProcessEnv;
  readonly sabotage?: TrialPlace["sabotage"] | undefined;
}

const AT_ONCE = 2;

/**
 * Runs `work` for each agent in its own trial place, two at a time. Meanwhile, this process uses the throw-away home
 * too, because rules depend on the home folder, and our helper processes see only that one.
 */
export async function onTrialPlaces<Result>(
  candidates: readonly Candidate[],
  parts: ProveParts,
  work: (stage: TrialPlace) => Promise<Result>,
): Promise<readonly Result[]> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-proof-home-")));
  const before = process.env["HOME"];
  process.env["HOME"] = home;
  const results = new Map<AgentName, Result>();
  const waiting = [...candidates];
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      using stage = openTrialPlace({ ...next, ...parts, home, offline: await offlineOf(next.name) });
      results.set(next.name, await work(stage));
    }
  };
  try {
    const lanes = await Promise.allSettled(Array.from({ length: AT_ONCE }, lane));
    for (const ended of lanes) if (ended.status === "rejected") throw ended.reason;
  } finally {
    if (before === undefined) delete process.env["HOME"];
    else process.env["HOME"] = before;
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
  return candidates.flatMap(({ name }) => {
    const result = results.get(name);
    return result === undefined ? [] : [result];
  });
}
