import type { FollowUp } from "../host.ts";
import { type HostEnd, NO_USAGE } from "../../contract/host-end.ts";
import { addUsage } from "../../contract/usage-total.ts";
import { printable, printableLine } from "../../lib/printable.ts";

/** What is known after a round whose result was not accepted. */
export interface FailedRound {
  /** The number of the next round. */
  readonly round: number;
  readonly task: string;
  /** Why the result was not accepted: a line, and the end of the check's output. */
  readonly because: string;
  /** One line per changed file, in the form of `git status`. Undefined when the workspace cannot be read. */
  readonly changed: string | undefined;
  /** How the rounds so far have ended. */
  readonly ends: readonly HostEnd[];
}

const ADVICE =
  "Find the cause, fix it, and run the check yourself before you say that you are done. Do not weaken the check: undo your changes to files that decide it. Only the user can allow those.";

/** What the agent is told in the conversation that it already had. */
export function followUpOf({ round, because, ends }: FailedRound): FollowUp {
  const session = ends.at(-1)?.session;
  const used = ends.filter((end) => end.session === session).reduce((sum, { usage }) => addUsage(sum, usage), NO_USAGE);
  return { round, session, used, prompt: `${verdictText(because)}\n\n${ADVICE}` };
}

/** The same for an agent that knows nothing of it. */
export const factsOf = ({ task, because, changed }: FailedRound): string =>
  [
    task,
    "An agent has already worked on this task in this folder and said that it was done. Continue from what is there.",
    changed === undefined ? "" : changedText(changed),
    verdictText(because),
    ADVICE,
  ]
    .filter((part) => part !== "")
    .join("\n\n");

const verdictText = (because: string) =>
  `This is not finished. The work was checked and not accepted: ${harmless(printable(because))}`;

const MAX_FILES = 100;

function changedText(status: string): string {
  const lines = status.split("\n").filter((line) => line !== "");
  if (lines.length === 0) return "No file has been changed so far.";
  const shown = lines.slice(0, MAX_FILES).map((line) => harmless(printableLine(line)));
  const more = lines.length > MAX_FILES ? [`… and ${lines.length - MAX_FILES} more`] : [];
  return ["Files changed so far:", ...shown, ...more].join("\n");
}

/**
 * Agents read the file behind an `@` in a prompt before any rule is asked. What a check prints, or a file's name, must
 * not make them do that.
 */
const harmless = (text: string) => text.replaceAll(/@(?=\S)/g, "@ ");
