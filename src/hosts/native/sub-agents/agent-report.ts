import type { SessionOutcome } from "../../../contract/engine-event.ts";
import type { ToolOutput } from "../../../contract/tool.ts";
import type { ToolDeed } from "../../../contract/tool-call.ts";
import { boundText } from "../../../tools/bound-text.ts";

interface Report {
  readonly outcome: Pick<SessionOutcome, "reason" | "because" | "text">;
  /** What the caller should know about how it was run. */
  readonly notes: readonly string[];
  /** The files it wrote. */
  readonly deeds: readonly ToolDeed[];
  readonly outputFolder: string;
  /** It worked in a copy of the workspace. */
  readonly isCopy?: boolean | undefined;
}

const ENDS: Readonly<Record<SessionOutcome["reason"], string>> = {
  answered: "",
  rejected: "it was ended, because the user rejected a call of it",
  aborted: "it was interrupted",
  limit: "it was ended by a limit",
  "no-progress": "it went in circles and was ended",
  refused: "its model refused to answer",
  failed: "its model failed",
  "gate-gave-up": "a gate did not accept its answer",
};

/** What the agent that started a sub-agent gets back. */
export function agentReport({ outcome, notes, deeds, outputFolder, isCopy }: Report): ToolOutput {
  const { reason, because } = outcome;
  const text = outcome.text.trim();
  const shown = notes.map((note) => `[${note}]`);
  if (reason === "answered" && text !== "")
    return { text: [boundText(text, outputFolder), ...shown].join("\n\n"), failed: false, deeds };
  const end = reason === "answered" ? "it ended without an answer" : ENDS[reason];
  const why = because === "" ? end : `${end} (${because})`;
  const words = text === "" ? [] : [`Its last words: ${boundText(text, outputFolder)}`];
  return {
    text: [
      `The sub-agent did not finish: ${why}.${isCopy === true ? "" : " What it did remains."}`,
      ...words,
      ...shown,
    ].join("\n\n"),
    failed: true,
    deeds,
  };
}
