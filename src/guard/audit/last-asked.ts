import { isBelow } from "../../lib/real-path.ts";
import { commandOf } from "../judge/command-of.ts";
import { toolKind } from "../judge/tool-kind.ts";
import { newCounts, readDecisions, type RecordedDecision } from "./read-decisions.ts";

const MAX_RECORDS = 20_000;

/** Whether a decision kept a shell command in this workspace from running unasked. */
export function wasHeld({ tool, cwd, verdict, code }: RecordedDecision, workspaceRoot: string): boolean {
  // What a person answered is logged again, as a decision of theirs.
  return (
    verdict !== "allow" && !code.startsWith("person-") && toolKind(tool) === "shell" && isBelow(cwd, workspaceRoot)
  );
}

/** The command that was asked about or denied last in a workspace, among the newest records. */
export function lastAsked(home: string, workspaceRoot: string): RecordedDecision | undefined {
  const counts = newCounts();
  let newest: RecordedDecision | undefined;
  for (const decision of readDecisions(home, counts)) {
    if (wasHeld(decision, workspaceRoot) && (newest === undefined || decision.time >= newest.time)) newest = decision;
    if (counts.records > MAX_RECORDS) break;
  }
  return newest;
}

/** The command of a recorded call; undefined when it was cut or contained a secret. What is beside it does not matter. */
export function recordedCommand({ input }: Pick<RecordedDecision, "input">): string | undefined {
  const command = input === undefined ? undefined : commandOf(input);
  return command?.includes("[redacted ") === true ? undefined : command;
}
