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

/** The same for a person: the verdict in one line, and the check's output. Other reasons are a line and the rest. */
export function readGateReason(reason: string): { readonly verdict: string; readonly output: string } {
  const end = reason.indexOf("\n");
  const [first, rest] = end === -1 ? [reason, ""] : [reason.slice(0, end), reason.slice(end + 1)];
  if (!first.startsWith(START)) return { verdict: first, output: rest };
  const output = rest.replace(ADVICE, "").replace(/^The end of its output:\n|^It printed nothing\./, "");
  return { verdict: first.slice(START.length).replace(/\.$/, ""), output: output.trim() };
}
