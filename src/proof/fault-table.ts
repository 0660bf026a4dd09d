import type { FaultComparison } from "./compare-faults.ts";
import { FAULT_IDS, FAULTS } from "./guarantees.ts";

export interface TriedAgent extends FaultComparison {
  readonly version: string;
}

interface Wording {
  /** The command that printed the page. */
  readonly command: string;
  /** How a plain hook is registered with each agent. */
  readonly means: readonly string[];
}

/** The page docs/fault-matrix.md, or the same table without its words around it. */
export function faultLines(agents: readonly TriedAgent[], { command, means }: Wording): readonly string[] {
  return [
    "# What becomes of a denied call when the hook is faulty",
    "",
    `Made by \`${command}\` on ${agents.map(({ agent, version }) => `${agent} ${version}`).join(", ")}.`,
    "",
    `_Bare_ is a plain hook that denies the call, registered as the agent's own documents say (${means.join("; ")}). _signalbox_ is a guarded launch. **ran** means that the file which the denied call writes was there afterwards; a dash means that a bare hook has no such part.`,
    "",
    ...table(agents),
  ];
}

const WORDS = { ran: "**ran**", blocked: "blocked", unclear: "unclear", none: "–" } as const;

function table(agents: readonly TriedAgent[]): readonly string[] {
  const head = ["fault", ...agents.flatMap(({ agent }) => [`${agent}, bare`, `${agent}, signalbox`])];
  const rows = FAULT_IDS.map((id) => [
    FAULTS[id],
    ...agents.flatMap(({ faults }) => {
      const found = faults.find((fault) => fault.id === id);
      return [WORDS[found?.bare ?? "unclear"], WORDS[found?.guarded ?? "unclear"]];
    }),
  ]);
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => (row[column] ?? "").length)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)];
}
