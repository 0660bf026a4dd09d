import type { Policy } from "../../contract/policy.ts";
import { printableLine } from "../../lib/printable.ts";
import type { ContainedSession } from "../../sandbox/contained-session.ts";
import { limitFacts, limitText } from "../../sandbox/limits.ts";

/** What commands in a sandbox can reach, for people or as JSON. */
export function explainSandbox(session: ContainedSession, policy: Policy, asJson: boolean): string {
  const { by, held, provenAt } = session.containment;
  const { roots, mounts, watched } = session.plan;
  const paths = (kinds: readonly string[]) => mounts.filter(({ kind }) => kinds.includes(kind)).map(({ path }) => path);
  const facts = {
    by,
    held,
    provenAt,
    workspace: session.plan.workspace,
    writable: roots,
    readOnly: paths(["read-only"]).filter((path) => !roots.includes(path)),
    hidden: paths(["empty-folder", "empty-file", "scratch-folder", "replace"]),
    notCreatable: watched,
    network: { mode: policy.network.mode, allow: policy.network.allow },
    variables: { passed: policy.passVariables ?? [] },
    limits: held.includes("processes") ? limitFacts(policy, session.usesHelper) : [],
  };
  if (asJson) return `${JSON.stringify(facts)}\n`;
  const list = (title: string, entries: readonly string[]) =>
    entries.length === 0 ? [] : ["", title, ...entries.map((entry) => `  ${printableLine(entry)}`)];
  const lines = [
    `Held: ${held.join(", ")}, by ${by}, proven ${provenAt}`,
    ...list("Commands can write", facts.writable),
    ...list("They can read everything else on the disk, except these, which are hidden", facts.hidden),
    ...list("Read-only inside", facts.readOnly),
    ...list("Cannot be created", facts.notCreatable),
    ...list(
      "Limits for all commands together",
      facts.limits.map((fact) => `${fact.what}: ${limitText(fact)}`),
    ),
    "",
    NETWORK[facts.network.mode],
    ...(facts.network.mode === "allowlist" ? facts.network.allow.map((host) => `  ${printableLine(host)}`) : []),
    "",
    "Variables that look like credentials are not passed on" +
      (facts.variables.passed.length === 0 ? "." : `, except ${facts.variables.passed.join(", ")}.`),
    held.includes("processes")
      ? "Not held: sockets that other programs create later outside /run, /tmp, /var/tmp and the home folder."
      : "Not held: processes. Loopback is the machine's own, and only the door can be called on it.",
  ];
  return `${lines.join("\n")}\n`;
}

const NETWORK = {
  none: "No network.",
  any: "Every host, except private addresses and cloud metadata.",
  allowlist: "Network through the door, only to these hosts:",
} as const;
