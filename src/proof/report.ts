import { GUARANTEE_IDS, type GuaranteeId } from "./guarantees.ts";
import { printable } from "../lib/printable.ts";
import type { GuaranteeResult, TrialVerdict } from "./trial.ts";

/** The result of `prove` for one agent. */
export interface AgentReport {
  readonly agent: string;
  readonly version: string;
  readonly binarySha256: string;
  readonly guarantees: readonly GuaranteeResult[];
}

export interface Report {
  readonly agents: readonly AgentReport[];
}

/** The guarantees that invalidate a proof: every FAIL, and everything required but not shown. */
export function shortcomings({ agents }: Report, required: readonly GuaranteeId[]): readonly string[] {
  return agents.flatMap(({ agent, guarantees }) => {
    const failed = guarantees.filter(({ verdict }) => verdict === "FAIL").map(({ id }) => id);
    const open = required.filter((id) => guarantees.find((finding) => finding.id === id)?.verdict !== "PASS");
    return [...new Set([...failed, ...open])].map((id) => `${agent} ${id}`);
  });
}

export type Paint = (verdict: TrialVerdict, text: string) => string;

/**
 * A table with a row per tested guarantee and a column per agent. Below it, everything that did not pass, with the
 * reason. Text from agents is made safe for a terminal; what `paint` adds is kept.
 */
export function reportText({ agents }: Report, paint: Paint): string {
  const heads = agents.map(({ agent, version }) => printable(`${agent} ${shortVersion(version)}`));
  const widths = heads.map((head) => Math.max(head.length, "INCONCLUSIVE".length) + 2);
  const first = Math.max(...GUARANTEE_IDS.map((id) => id.length)) + 2;
  const tried = GUARANTEE_IDS.filter((id) => agents.some((one) => one.guarantees.some((finding) => finding.id === id)));
  const rows = tried.map((id) => {
    const cells = agents.map(({ guarantees }, index) => {
      const verdict = guarantees.find((finding) => finding.id === id)?.verdict;
      const text = (verdict ?? "-").padEnd(widths[index] ?? 0);
      return verdict === undefined ? text : paint(verdict, text);
    });
    return `${id.padEnd(first)}${cells.join("")}`.trimEnd();
  });
  const title = `${" ".repeat(first)}${heads.map((head, index) => head.padEnd(widths[index] ?? 0)).join("")}`.trimEnd();
  const notes = agents.flatMap(({ agent, guarantees }) =>
    guarantees
      .filter(({ verdict }) => verdict !== "PASS")
      .map(({ id, verdict, because }) => printable(`${verdict} ${agent} ${id}: ${because}`)),
  );
  return [title, ...rows, "", ...notes, ...(notes.length > 0 ? [""] : []), totals(agents), ""].join("\n");
}

function totals(agents: readonly AgentReport[]): string {
  const all = agents.flatMap(({ guarantees }) => guarantees.map(({ verdict }) => verdict));
  return (["PASS", "FAIL", "INCONCLUSIVE"] as const)
    .map((verdict) => `${all.filter((one) => one === verdict).length} ${verdict}`)
    .join(", ");
}

/** Agents print a lot about their version. In a table, the number is enough. */
export const shortVersion = (version: string) => /\d+(?:\.\d+)+(?:-[\w.]*\w)?/.exec(version)?.[0] ?? version;
