import type { Need } from "../../contract/containment.ts";
import type { Decision, GuardFinding } from "../../contract/verdict.ts";
import { printable, printableLine } from "../../lib/printable.ts";
import { splitWords } from "../../lib/split-words.ts";

/** For the person who is asked: what approving the command would mean, one line each. */
export function approvalMeans({ needs = [], contained, because }: Decision): readonly string[] {
  if (contained === undefined) return [];
  const outside = needs.filter(({ kind }) => kind === "outside");
  // The question has already given the first reason.
  const more = outside.map(shown).filter((reason) => reason !== printableLine(because));
  if (outside.length > 0)
    return [`run it outside the sandbox${more.length === 0 ? "" : `, because it also ${more.join(" and ")}`}`];
  return needs.length === 0 ? ["run it inside the sandbox"] : needs.map((need) => `${loan(need)}, inside the sandbox`);
}

const shown = ({ because }: Need) => printableLine(because);

function loan({ kind, target, access }: Need): string {
  const name = printableLine(target);
  if (kind === "host") return `let this one command reach ${name}`;
  if (kind === "variable") return `give this one command the variable ${name}`;
  return `let this one command ${access === "read" ? "read" : "change"} ${name}`;
}

/** The line of a policy that would allow what a command needs. */
export function policyLine({ kind, target, access }: Need, fragment: string): string {
  const name = JSON.stringify(printable(target));
  switch (kind) {
    case "host":
      return `add ${name.replace(/:443"$/, '"')} to network.allow, which opens it to every command,`;
    case "path":
      return `add ${name} to paths.${access === "read" ? "read_roots" : "write_roots"}, for every command,`;
    case "variable":
      return `add ${name} to env.pass, for every command,`;
    case "outside": {
      const words = /^[\w./:@=,+ '"-]+$/.test(fragment) ? splitWords(fragment) : undefined;
      return words === undefined
        ? "add an exact rule for this command with `verdict: allow` and `contained: false`"
        : `add the rule { id: outside, argv: ${JSON.stringify(words)}, exact: true, verdict: allow, contained: false }`;
    }
  }
}

/** Which parts of the sandbox make an objection needless. */
export function heldLine({ because, fragment, heldBy = [] }: GuardFinding): string {
  const about = fragment === "" ? "" : `${printableLine(fragment).slice(0, 160)}: `;
  return `${about}${printableLine(because)}  [${heldBy.length === 0 ? "can be restored" : heldBy.join(", ")}]`;
}
