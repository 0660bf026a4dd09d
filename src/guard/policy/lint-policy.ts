import type { PolicyFile, PolicyRule } from "../../contract/policy-file.ts";
import { hasGlobFlaw } from "../../lib/glob.ts";
import { messageOf } from "../../lib/message-of.ts";
import { compileHosts } from "../network/host-lists.ts";

/** A mistake in a policy file, and the key path to it. */
export interface PolicyFlaw {
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly fix: string;
}

const RUNS_ANYTHING = new Set(
  "bash sh zsh dash ksh fish env sudo doas su xargs eval exec command nohup timeout nice time watch python python2 python3 node ruby perl php deno bun lua ssh docker podman kubectl osascript pwsh powershell busybox find parallel npx bunx uvx".split(
    " ",
  ),
);
const NEEDS_SUBCOMMAND = new Set(
  "git npm pnpm yarn cargo go pip pip3 gh aws gcloud terraform systemctl brew apt apt-get helm".split(" "),
);

/** The next argument is code, or a setting that names code. */
const CODE_FLAGS = new Set(["-c", "-e", "-E", "-r", "-p", "--eval", "--print", "--command", "--config"]);

/** `/usr/bin/python3.11` is python. */
const plainName = (name: string) => (name.split("/").at(-1) ?? "").replace(/(?<=[a-z])[\d.]+$/, "");

/** Reports overly broad grants, entries that do not compile, and duplicate ids. */
export function lintPolicy(file: PolicyFile): readonly PolicyFlaw[] {
  return [...lintRules(file.rules), ...lintHosts(file), ...lintPaths(file)];
}

function lintRules(rules: readonly PolicyRule[]): readonly PolicyFlaw[] {
  const seen = new Set<string>();
  return rules.flatMap((rule, index): readonly PolicyFlaw[] => {
    const path = ["rules", index];
    const twice = seen.has(rule.id)
      ? [{ path: [...path, "id"], message: `two rules have the id ${rule.id}`, fix: "give each rule its own id" }]
      : [];
    seen.add(rule.id);
    return [...twice, ...lintGrant(rule, path), ...lintRuleHosts(rule, path)];
  });
}

function lintGrant(rule: PolicyRule, path: readonly (string | number)[]): readonly PolicyFlaw[] {
  if (rule.verdict !== "allow" || rule.exact) return [];
  const [first = ""] = rule.argv;
  const names = typeof first === "string" ? [first] : first;
  const [, second = ""] = rule.argv;
  const bare =
    rule.argv.length === 1 || (typeof second === "string" ? [second] : second).some((token) => CODE_FLAGS.has(token));
  const wide = names.find((name) => bare && [RUNS_ANYTHING, NEEDS_SUBCOMMAND].some((set) => set.has(plainName(name))));
  const globbed = rule.argv.flat().find((token) => /[*?]/.test(token));
  const flaws: PolicyFlaw[] = [];
  if (wide !== undefined)
    flaws.push({
      path: [...path, "argv"],
      message: `allowing bare ${wide} would allow any program`,
      fix: `add the subcommand or script, or set exact: true`,
    });
  if (globbed !== undefined)
    flaws.push({
      path: [...path, "argv"],
      message: `${JSON.stringify(globbed)} is not a pattern: tokens are compared literally`,
      fix: "list the alternatives, or end the argv before this token",
    });
  return flaws;
}

/** Hosts are lent to one command, so the rule has to say exactly which. */
function lintRuleHosts(rule: PolicyRule, path: readonly (string | number)[]): readonly PolicyFlaw[] {
  const { hosts = [] } = rule;
  if (hosts.length === 0) return [];
  if (rule.verdict !== "allow" || !rule.exact)
    return [
      {
        path: [...path, "hosts"],
        message: "hosts are only for a rule with verdict: allow and exact: true",
        fix: "add exact: true, or list the host in network.allow for every command",
      },
    ];
  const wrong = hosts.findIndex((entry) => !/^[\w.-]+:\d+$|^\[[\da-f:.]+\]:\d+$/i.test(entry));
  return wrong === -1
    ? []
    : [
        {
          path: [...path, "hosts", wrong],
          message: `${JSON.stringify(hosts[wrong])} is not one host with its port`,
          fix: "write NAME:PORT, as in example.org:443",
        },
      ];
}

function lintHosts({ network }: PolicyFile): readonly PolicyFlaw[] {
  const check = (list: "allow" | "deny") =>
    (network?.[list] ?? []).flatMap((entry, index): readonly PolicyFlaw[] => {
      try {
        compileHosts([entry]);
        return [];
      } catch (error) {
        return [
          {
            path: ["network", list, index],
            message: messageOf(error),
            fix: entry.startsWith("@")
              ? "see docs/network-door.md for the groups"
              : "write x, *.x or **.x with at least two labels, an IP address, a CIDR block, host:PORT, or a group such as @npm",
          },
        ];
      }
    });
  return [...check("allow"), ...check("deny")];
}

function lintPaths({ paths }: PolicyFile): readonly PolicyFlaw[] {
  const roots = (["read_roots", "write_roots"] as const).flatMap((list) =>
    (paths?.[list] ?? []).flatMap((entry, index): readonly PolicyFlaw[] =>
      (list === "write_roots" && /^(?:\/|~\/?|\/home\/?|\/etc.*|\/usr.*)$/.test(entry)) || /[*?[]/.test(entry)
        ? [
            {
              path: ["paths", list, index],
              message: `${JSON.stringify(entry)} is too broad for a root, or a pattern`,
              fix: "list the folders one by one",
            },
          ]
        : [],
    ),
  );
  const globs = (["deny_read", "deny_write"] as const).flatMap((list) =>
    (paths?.[list] ?? []).flatMap((entry, index): readonly PolicyFlaw[] =>
      hasGlobFlaw(entry)
        ? [
            {
              path: ["paths", list, index],
              message: `${JSON.stringify(entry)} does not compile`,
              fix: "use *, ?, [a-z] and ** only",
            },
          ]
        : [],
    ),
  );
  return [...roots, ...globs];
}
