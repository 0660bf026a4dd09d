import { LineCounter, parseDocument } from "yaml";
import { type Policy, PolicyFile, type PolicyRule, type Rule } from "../../contract/policy.ts";
import { refuseNewer } from "../../lib/json/file-format.ts";
import { hasGlobFlaw } from "../../lib/path/glob.ts";
import { messageOf, UserError } from "../../lib/text/user-error.ts";
import { answersPreset } from "../examine/match-rules.ts";
import { isStricter, judge } from "../judge/judge.ts";
import { fakeMachine } from "../machine/fake-machine.ts";
import { PRESETS } from "../presets/presets.ts";
import { compileHosts } from "../rules/host-lists.ts";

const MAX_BYTES = 4 * 1024 * 1024;

/** Parses a policy file. Any mistake throws a UserError with file, line and fix. */
export function readPolicyFile(text: string, name: string): PolicyFile {
  if (text.length > MAX_BYTES)
    throw new UserError("the policy is too long", { where: name, fix: "keep it under 4 MB" });
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, strict: true, uniqueKeys: true });
  const at = (path: readonly (string | number)[]): string => {
    const node = document.getIn(path, true);
    const offset =
      typeof node === "object" && node !== null && "range" in node && Array.isArray(node.range)
        ? node.range[0]
        : undefined;
    return typeof offset === "number"
      ? `${name}:${lines.linePos(offset).line}`
      : path.length > 0
        ? at(path.slice(0, -1))
        : name;
  };
  const [broken] = document.errors;
  if (broken !== undefined)
    throw new UserError(`the policy is invalid YAML: ${broken.message.split("\n")[0] ?? ""}`, {
      where: `${name}:${lines.linePos(broken.pos[0]).line}`,
      fix: "fix the YAML at that position",
    });
  const plain = toPlain(document);
  refuseNewer(plain, at(["version"]));
  const parsed = PolicyFile.safeParse(plain);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const path = (issue?.path ?? []).flatMap((key) => (typeof key === "symbol" ? [] : [key]));
    throw new UserError(`the policy is invalid: ${path.join(".")} ${issue?.message ?? ""}`.replace("  ", " "), {
      where: at(path),
      fix: "see docs/guard.md for every key",
    });
  }
  const [flaw] = lintPolicy(parsed.data);
  if (flaw !== undefined) throw new UserError(flaw.message, { where: at(flaw.path), fix: flaw.fix });
  parsed.data.rules.forEach((rule, index) => {
    const [failed] = tryExamples(rule);
    if (failed !== undefined)
      throw new UserError(failed.message, { where: at(["rules", index]), fix: "change the rule or the example" });
  });
  return parsed.data;
}

function toPlain(document: ReturnType<typeof parseDocument>): unknown {
  try {
    return document.toJS({ maxAliasCount: 50 });
  } catch (error) {
    throw new UserError("the policy expands too many aliases", { fix: "use fewer aliases", cause: error });
  }
}

/** A mistake in a policy file, and the key path to it. */
interface PolicyFlaw {
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
  if (rule.verdict !== "allow" && rule.as_written === true)
    return [{ path: [...path, "as_written"], message: "as_written is only for verdict: allow", fix: "remove it" }];
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

/** A rule's example that does not get the expected verdict. */
interface FailedExample {
  readonly rule: string;
  readonly example: string;
  readonly message: string;
}

/** Runs the examples of a rule against the rule alone. */
function tryExamples(rule: PolicyRule): readonly FailedExample[] {
  const fallback = rule.verdict === "allow" ? "ask" : "allow";
  const policy: Policy = {
    ...PRESETS.default,
    version: 1,
    workspaceRoot: "/workspace",
    home: "/home/user",
    rules: [
      {
        id: rule.id,
        source: "example",
        verdict: rule.verdict,
        argv: rule.argv,
        exact: rule.exact,
        because: "",
        ...(rule.as_written === true ? { asWritten: true } : {}),
      },
    ],
    fallback,
  };
  const applies = (command: string): boolean => {
    const decision = judge({ tool: "Bash", input: { command } }, policy, fakeMachine({}));
    return rule.verdict === "allow"
      ? decision.verdict === "allow"
      : decision.findings.some((finding) => finding.rule === rule.id);
  };
  return [
    ...rule.match
      .filter((example) => !applies(example))
      .map((example) => ({
        rule: rule.id,
        example,
        message: `the rule ${rule.id} should match ${JSON.stringify(example)} but does not`,
      })),
    ...rule.not_match.filter(applies).map((example) => ({
      rule: rule.id,
      example,
      message: `the rule ${rule.id} should not match ${JSON.stringify(example)} but does`,
    })),
  ];
}

/** A rule without any effect, and the rule that causes this. */
export interface IdleRule {
  readonly rule: string;
  readonly by: string;
  /** `shadowed`: a stricter rule always wins. `dead`: another rule with the same verdict covers it. */
  readonly kind: "shadowed" | "dead";
}

/** Rules that can never take effect. Compares only rules with the same first token, so that long lists stay fast. */
export function findIdleRules(rules: readonly Rule[]): readonly IdleRule[] {
  const byProgram = Map.groupBy(
    rules.flatMap((rule, order) => firstTokens(rule).map((name) => ({ rule, order, name }))),
    ({ name }) => name,
  );
  const idle = new Map<Rule, IdleRule>();
  for (const group of byProgram.values())
    for (const { rule, order } of group) {
      const cover = group
        .slice(0, 500)
        .find(
          (other) =>
            other.rule !== rule &&
            covers(other.rule, rule) &&
            !(answersPreset(rule) && other.rule.source === "preset" && other.rule.verdict === "ask") &&
            (isStricter(other.rule.verdict, rule.verdict) ||
              (other.rule.verdict === rule.verdict && other.order < order)),
        );
      if (cover !== undefined && !idle.has(rule))
        idle.set(rule, {
          rule: rule.id,
          by: cover.rule.id,
          kind: cover.rule.verdict === rule.verdict ? "dead" : "shadowed",
        });
    }
  return rules.flatMap((rule) => idle.get(rule) ?? []);
}

function firstTokens(rule: Rule): readonly string[] {
  const [first = "*"] = rule.argv;
  return typeof first === "string" ? [first] : first;
}

/** True if every argv that `rule` matches is also matched by `other`. */
function covers(other: Rule, rule: Rule): boolean {
  if (other.asWritten === true && rule.asWritten !== true) return false;
  if (other.exact && !(rule.exact && other.argv.length === rule.argv.length)) return false;
  return other.argv.every((token, index) => {
    const narrow = rule.argv[index];
    if (narrow === undefined) return false;
    const wide = typeof token === "string" ? [token] : token;
    return (typeof narrow === "string" ? [narrow] : narrow).every((text) => wide.includes(text));
  });
}
