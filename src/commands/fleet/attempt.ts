import { uptime } from "node:os";
import * as z from "zod";
import { LEASE_OVER } from "../../fleet/attempt.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { signalboxHome } from "../../lib/path/home-folder.ts";
import { endTree } from "../../lib/process/end-tree.ts";
import { say } from "../../lib/process/standard-streams.ts";
import { readLines } from "../../lib/text/decode-lines.ts";
import { EXIT } from "../../lib/text/user-error.ts";
import { knownRuns } from "../../receipts/run/known-runs.ts";
import type { Verb } from "../command-module.ts";
import { command as run } from "../run/run.ts";

const Start = z.strictObject({
  leaseMs: z.number().positive(),
  heard: z.number(),
  words: z.array(z.string()),
  flags: z.record(z.string(), z.unknown()),
});

/** After this part of a lease without a word the run is ended in order, after that part at once. */
const END_AT = 0.6;
const KILL_AT = 0.85;

/**
 * Runs the order that the worker writes to our input, as `signalbox run` would, for as long as the worker says that it holds
 * the lease. Each line is the time of a heartbeat that was answered, on the machine's own clock: a word that was delayed
 * is as old as it is. The end of the input is the end of the worker.
 */
export async function superviseAttempt(verbs: readonly Verb[]): Promise<number> {
  const lines = readLines(process.stdin);
  const first = await lines.next();
  const start = Start.parse(parseJson(first.done === true ? "" : first.value));
  let { heard } = start;
  let isOver = false;
  const over = (because: string) => {
    if (isOver) return;
    isOver = true;
    say(`the run ends: ${because}`);
    process.kill(process.pid, "SIGTERM");
  };
  const watch = setInterval(
    () => {
      const silent = (uptime() - heard) * 1000;
      if (silent > start.leaseMs * END_AT) over("its lease may be over");
      if (silent > start.leaseMs * KILL_AT) void killAll();
    },
    Math.min(1000, start.leaseMs / 20),
  );
  const reading = follow(lines, (time) => (heard = Math.max(heard, time))).then(() => over("its worker is gone"));
  // Without a listener, an early signal would end this process before the run can say how it ended.
  const hold = () => {};
  process.on("SIGTERM", hold);
  try {
    const code = await run.run({ verb: "run", words: start.words, flags: start.flags, verbs, passed: undefined });
    return isOver ? LEASE_OVER : code;
  } finally {
    clearInterval(watch);
    process.off("SIGTERM", hold);
    process.stdin.destroy();
    void reading.catch(() => undefined);
  }
}

async function follow(lines: AsyncIterable<string>, hear: (time: number) => void): Promise<void> {
  for await (const line of lines) hear(Number(line));
}

/** What did not end in time is killed, this process last. */
async function killAll(): Promise<void> {
  const own = knownRuns(signalboxHome()).filter(
    ({ header, end }) => end === undefined && header.owner.pid === process.pid,
  );
  for (const { header } of own) await endTree({ id: header.run_id }, [], { graceMs: 0, killMs: 1000 });
  process.exit(EXIT.failed);
}
