import type { BaseCheck } from "./seal.ts";

const START = "This is not finished: ";
const OUTPUT = "The end of its output:\n";
const ADVICE = "Find the cause, change what is needed, run the check yourself, and only then say that you are done.";

/** What the model is told about an acceptance check that failed. */
export function acceptanceReason(verdict: string, output: string): string {
  const shown = output.trim() === "" ? "It printed nothing." : `${OUTPUT}${output.trim()}`;
  return [`${START}${verdict}.`, shown, ADVICE].join("\n");
}

/** What the model is told by another gate: what is wrong in one line, then what to do. */
export const gateReason = (verdict: string, advice: string): string => `${START}${verdict}.\n${advice}`;

const RESTORE = [
  "Undo your changes to these files; with git, `git checkout HEAD -- FILE` does it if the file was committed.",
  "Then make the check pass by changing the work itself.",
  "Only the user can allow a change of the check. If the task needs one, say which file and why, and stop there.",
].join("\n");

const MAX_NAMED = 20;

/** Which changed files a check depends on, in one line. */
export function changedCheckVerdict(command: string, facts: BaseCheck, idlePatterns: readonly string[] = []): string {
  const named = facts.changed.slice(0, MAX_NAMED).map(({ path, how }) => `${path} (${how})`);
  const more = facts.changed.length > MAX_NAMED ? ` and ${facts.changed.length - MAX_NAMED} more` : "";
  const files = named.length === 0 ? "" : ` passes only with changed files: ${named.join(", ")}${more};`;
  const idle = idlePatterns.map((pattern) => `; --accept-changed ${JSON.stringify(pattern)} matches no file`);
  return `\`${command}\`${files === "" ? " passes, but" : files} ${facts.because ?? ""}${idle.join("")}`;
}

/** What the model is told when a check passes only because it changed the check. */
export function changedCheckReason(command: string, facts: BaseCheck, output: string): string {
  const shown = output.trim() === "" ? [] : [`${OUTPUT}${output.trim()}`];
  return [`${START}${CHANGED}${changedCheckVerdict(command, facts)}.`, RESTORE, ...shown].join("\n");
}

const CHANGED = "the acceptance check was changed, and does not count: ";

/** What a verdict says about a changed check; undefined if it is about something else. */
export const changedCheckIn = (verdict: string) =>
  verdict.startsWith(CHANGED) ? verdict.slice(CHANGED.length) : undefined;

/** The same for a person: the verdict in one line, and the check's output. Other reasons are a line and the rest. */
export function readGateReason(reason: string): { readonly verdict: string; readonly output: string } {
  const end = reason.indexOf("\n");
  const [first, rest] = end === -1 ? [reason, ""] : [reason.slice(0, end), reason.slice(end + 1)];
  if (!first.startsWith(START)) return { verdict: first, output: rest };
  const output = rest
    .replace(ADVICE, "")
    .replace(RESTORE, "")
    .trimStart()
    .replace(/^The end of its output:\n|^It printed nothing\./, "");
  return { verdict: first.slice(START.length).replace(/\.$/, ""), output: output.trim() };
}
