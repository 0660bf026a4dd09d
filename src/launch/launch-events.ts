import { closeSync, fstatSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { callText } from "../contract/agent-call.ts";
import type { LaunchEvent, LaunchHeader } from "../contract/board-entry.ts";
import type { SessionWatch } from "../contract/hook-event.ts";
import type { Verdict } from "../contract/verdict.ts";
import { redact } from "../guard/redact.ts";
import { appendWhole } from "../lib/files/atomic-write.ts";
import { shortLine } from "../lib/text/printable.ts";
import type { CheckedStop } from "./launch-check.ts";

/** The files of a launch for the board, in its private folder while it runs. */
export const LAUNCH_HEADER = "board.json";
export const LAUNCH_EVENTS = "events.jsonl";
/** The events before those, when there were many. */
export const EARLIER_EVENTS = "events.old.jsonl";

const MAX_BYTES = 256 * 1024;

/** Longer texts are cut before secrets are looked for, and after. */
const MAX_READ = 4000;
const MAX_TEXT = 300;

interface ReportedCall {
  readonly tool: string;
  readonly input: unknown;
  readonly by?: string | undefined;
}

interface ReportedAnswer {
  readonly verdict: Verdict;
  readonly because: string;
  readonly left?: "person" | "agent" | undefined;
}

/** What a launch tells the board while it runs. */
export interface LaunchEvents extends Disposable {
  readonly answered: (call: ReportedCall, answer: ReportedAnswer) => void;
  readonly ended: (call: Parameters<SessionWatch["ended"]>[1]) => void;
  readonly prompted: () => void;
  readonly stopping: () => void;
  readonly stopped: (word: CheckedStop) => void;
  readonly exited: () => void;
}

type Unstamped = LaunchEvent extends infer Each ? (Each extends unknown ? Omit<Each, "at" | "up"> : never) : never;

/**
 * Keeps the newest events of a launch, without secrets, prompts and outputs. Where one cannot be written, none are kept:
 * the board then knows nothing, rather than something wrong.
 */
export function openLaunchEvents(
  folder: string,
  header: Omit<LaunchHeader, "version">,
  secrets: readonly string[],
): LaunchEvents {
  const path = join(folder, LAUNCH_EVENTS);
  let file = begin(folder, header);
  const shown = (text: string) => shortLine(redact(text.slice(0, MAX_READ), { values: secrets }).text, MAX_TEXT);
  const stop = () => {
    if (file !== undefined) closeSync(file);
    file = undefined;
  };
  const append = (event: Unstamped) => {
    if (file === undefined) return;
    try {
      if (fstatSync(file).size > MAX_BYTES) {
        stop();
        renameSync(path, join(folder, EARLIER_EVENTS));
        file = openSync(path, "ax", 0o600);
      }
      const stamped = { at: Date.now(), up: Math.round(Number(process.hrtime.bigint()) / 1e6), ...event };
      appendWhole(file, Buffer.from(`${JSON.stringify(stamped)}\n`));
    } catch {
      stop();
      for (const name of [LAUNCH_EVENTS, EARLIER_EVENTS]) rmSync(join(folder, name), { force: true });
    }
  };
  return {
    answered({ tool, input, by = "" }, { verdict, because, left }) {
      const text = shown(callText(tool, input));
      append({ t: "call", by, tool, text, verdict, because: shown(because), ...(left === undefined ? {} : { left }) });
    },
    ended: ({ tool, input, subAgent: by = "" }) => append({ t: "end", by, tool, text: shown(callText(tool, input)) }),
    prompted: () => append({ t: "prompt" }),
    stopping: () => append({ t: "stopping" }),
    stopped: ({ block, tell = "", verified = "not_checked" }) =>
      append({ t: "stop", sentBack: block !== undefined, verified, line: shown(tell) }),
    exited: () => append({ t: "exit" }),
    [Symbol.dispose]: stop,
  };
}

/** Undefined where nothing can be written; the launch goes on without. */
function begin(folder: string, header: Omit<LaunchHeader, "version">): number | undefined {
  try {
    writeFileSync(join(folder, LAUNCH_HEADER), JSON.stringify({ version: 1, ...header }), { mode: 0o600 });
    return openSync(join(folder, LAUNCH_EVENTS), "ax", 0o600);
  } catch {
    return undefined;
  }
}
