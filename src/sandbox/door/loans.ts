import type { Need } from "../../contract/agent-call.ts";
import type { ContainmentFacts } from "../../contract/seal.ts";
import type { SandboxEvent } from "../linux/start-session.ts";

/** What people lent to single commands. A loan is for the next command with exactly this text, until it ends. */
export interface Loans {
  lend(needs: readonly Need[], command: string): void;
  /** Follows the commands of the sandbox. */
  follow(event: SandboxEvent): void;
  readonly isLent: (id: string, host: string, port: number) => boolean;
  /** For the receipt. A loan that was offered and not used is not listed. */
  list(): ContainmentFacts["lent"];
}

interface Loan {
  readonly command: string;
  readonly needs: readonly Need[];
}

const MAX_WAITING = 50;
const MAX_LISTED = 200;
/** The helper reports only this much of a command. */
const REPORTED_BYTES = 4096;

export function openLoans(): Loans {
  const waiting: Loan[] = [];
  const running = new Map<string, Loan>();
  const used: { what: string; command: string }[] = [];
  return {
    lend(needs, command) {
      if (needs.length === 0) return;
      waiting.push({ needs, command: reportedStart(command) });
      if (waiting.length > MAX_WAITING) waiting.shift();
    },
    follow(event) {
      if (event.type === "end") running.delete(event.id);
      if (event.type !== "start") return;
      const index = waiting.findIndex(({ command }) => command === reportedStart(event.command));
      const [loan] = index === -1 ? [] : waiting.splice(index, 1);
      if (loan === undefined) return;
      running.set(event.id, loan);
      for (const { target } of loan.needs)
        if (used.length < MAX_LISTED) used.push({ what: target, command: loan.command.slice(0, 200) });
    },
    isLent(id, host, port) {
      const needs = running.get(id)?.needs ?? [];
      return needs.some(({ kind, target }) => kind === "host" && sameHost(target, host, port));
    },
    list: () => [...used],
  };
}

/** As much of a command as the helper reports. */
export const reportedStart = (command: string) => Buffer.from(command).subarray(0, REPORTED_BYTES).toString("utf8");

function sameHost(target: string, host: string, port: number): boolean {
  const shown = host.includes(":") ? `[${host}]` : host;
  return target.toLowerCase() === `${shown}:${port}`.toLowerCase();
}
