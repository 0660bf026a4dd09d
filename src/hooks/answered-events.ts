import { existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { HookEventName } from "../contract/hook-event.ts";
import { sha256 } from "../lib/sha256.ts";
import { eventKey, inputIn } from "./event-key.ts";
import type { HookOutput } from "./hook-answer.ts";
import { serversFolder } from "./server-address.ts";

/** The second report follows at once. */
const SAME_EVENT_MILLISECONDS = 60_000;

interface StagedReport {
  readonly event: HookEventName;
  readonly text: string;
}

interface Places {
  readonly workspace: string;
  /** The user's signalbox folder. */
  readonly folder: string;
  /** Wrappers of other agents that this agent runs as well. */
  readonly others: readonly string[];
}

/**
 * Remembers an event that was answered, if its agent will also report it to the wrapper of another agent in this repository.
 * On disk, because each report may be answered by another process.
 */
export function rememberEvent(call: StagedReport, output: HookOutput, { workspace, folder, others }: Places): void {
  if (!others.some((wrapper) => existsSync(join(workspace, wrapper)))) return;
  const changed = inputIn(output.stdout);
  const keys = [eventKey(call), changed === undefined ? undefined : eventKey(call, changed)];
  for (const key of new Set(keys)) if (key !== undefined) writeFileSync(fileOf(folder, key), "", { mode: 0o600 });
}

/** True once for an event that was just answered for the agent that reports it. Only for the wrapper of another agent. */
export function takeAnsweredEvent(call: StagedReport, folder: string): boolean {
  const key = eventKey(call);
  const file = key === undefined ? undefined : fileOf(folder, key);
  const stat = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false });
  if (file === undefined || stat === undefined) return false;
  rmSync(file, { force: true });
  return Math.abs(Date.now() - stat.mtimeMs) < SAME_EVENT_MILLISECONDS;
}

const fileOf = (folder: string, key: string) => join(serversFolder(folder), `answered-${sha256(key)}`);
