import { describe, expect, test } from "vitest";
import { processorTime } from "../../../test/support/processor-time.ts";
import { fakeMachine } from "../machine/fake-machine.ts";
import { decideAndRecord } from "../decide-and-record.ts";
import { judge } from "./judge.ts";
import { compileCorpusPolicy } from "../policy/corpus-policy.ts";
import type { Policy } from "../../contract/policy.ts";
import { PRESETS } from "../presets/presets.ts";

const machine = fakeMachine({});
const open = compileCorpusPolicy({ allow: ["*"], default: "allow", read_roots: ["/"], network: { mode: "any" } });
const daily: Policy = { ...PRESETS.default, version: 1, workspaceRoot: "/srv/repo", home: "/home/dev" };
const shell = (command: unknown, policy = daily) =>
  judge({ tool: "Bash", input: { command } }, policy, machine).verdict;
const fails = () => {
  throw new Error("injected");
};

describe("whatever fails denies", () => {
  const call = { tool: "Bash", input: { command: "cat a.txt" } };
  test.each([
    ["the links", { ...machine, readLink: fails }],
    ["the clock", { ...machine, now: fails }],
    ["a clock that is no number", { ...machine, now: () => Number.NaN }],
    ["the screen", { ...machine, screen: fails }],
  ])("%s", (_, broken) => {
    const { verdict, code } = judge(call, open, broken);
    expect({ verdict, code }).toEqual({ verdict: "deny", code: "guard-failed" });
  });
  test("the resolver", () => {
    expect(
      judge({ tool: "WebFetch", input: { url: "https://example.com" } }, open, { ...machine, addresses: fails })
        .verdict,
    ).toBe("deny");
  });
  test("a link that points to itself", () => {
    expect(judge({ tool: "Read", input: { file_path: "a" } }, open, { ...machine, readLink: () => "a" }).verdict).toBe(
      "deny",
    );
  });
  test("a policy with a pattern that does not compile", () => {
    const policy = { ...open, network: { ...open.network, mode: "allowlist", allow: ["*"] } } as const;
    expect(judge({ tool: "WebFetch", input: { url: "https://example.com" } }, policy, machine).verdict).toBe("deny");
  });
  test("an audit log that cannot be written", () => {
    const parts = { machine, session: "s", agent: "a", append: fails, redact: (text: string) => text };
    const { verdict, code } = decideAndRecord({ tool: "Bash", input: { command: "ls" } }, daily, parts);
    expect({ verdict, code }).toEqual({ verdict: "deny", code: "audit-failed" });
  });
});

describe("input", () => {
  test.each([[undefined], [null], [1], [{}], [["ls", 1]], [""], ["  \n "], ["\u0000"], ["ls\u0000x"]])(
    "a command that is none is denied: %j",
    (command) => {
      expect(shell(command, open)).toBe("deny");
    },
  );
  test("an argv is judged as the words it is", () => {
    expect(shell(["ls", "-la"])).toBe("allow");
    expect(shell(["sudo", "id"])).toBe("deny");
    expect(shell(["echo", "a; sudo id"])).toBe("allow");
  });
  test("5 MB, 10,000 substitutions and a host name of 10 kB are answered quickly", () => {
    const start = processorTime();
    expect(shell("a".repeat(5_000_000))).toBe("deny");
    expect(shell("$(".repeat(10_000))).toBe("deny");
    expect(shell("echo ".concat("$(echo ".repeat(40), ")".repeat(40)))).not.toBe("allow");
    expect(
      judge({ tool: "WebFetch", input: { url: `https://${"a".repeat(10_000)}.example` } }, open, machine).verdict,
    ).toBe("deny");
    expect(processorTime() - start).toBeLessThan(2000);
  });
  test("invalid UTF-16 and control characters are no licence", () => {
    expect(shell("ls \ud800")).not.toBe("deny");
    expect(shell("ls \u001b[2J")).not.toBe("allow");
    expect(shell("rm\u200b -rf /")).not.toBe("allow");
  });
});

describe("tools", () => {
  test("agents' names of the same tool get the same answer", () => {
    for (const tool of ["Bash", "bash", "shell", "exec_command", "run_shell_command"]) {
      expect(judge({ tool, input: { command: "sudo id" } }, daily, machine).verdict).toBe("deny");
      expect(judge({ tool, input: { command: "git status" } }, daily, machine).verdict).toBe("allow");
    }
  });
  test("file tools work inside the workspace and not on settings of agents", () => {
    const use = (tool: string, file_path: string) =>
      judge({ tool, input: { file_path, content: "rm -rf /" } }, daily, machine).verdict;
    expect([
      use("Read", "src/a.ts"),
      use("Write", "src/a.ts"),
      use("Edit", "a.md"),
      use("write_file", "src/b.ts"),
    ]).toEqual(["allow", "allow", "allow", "allow"]);
    expect([
      use("Write", ".claude/settings.json"),
      use("Edit", ".git/hooks/x"),
      use("Read", ".env"),
      use("Read", "~/.ssh/id_rsa"),
    ]).toEqual(["deny", "deny", "deny", "deny"]);
    expect(use("Read", ".env.example")).toBe("allow");
  });
  test("a file that the arguments of a skill mention is judged as one that is read", () => {
    const use = (args: string) => judge({ tool: "Skill", input: { skill: "fix", args } }, daily, machine).verdict;
    expect(["the bug in @src/a.ts", "a@b.org", "no file"].map(use)).toEqual(["allow", "allow", "allow"]);
    expect(["see @.env", "(@~/.ssh/id_rsa)", '@".env"'].map(use)).toEqual(["deny", "deny", "deny"]);
  });
  test("an unknown tool is asked about, and a policy can allow one of a server", () => {
    expect(judge({ tool: "Frobnicate", input: {} }, daily, machine).verdict).toBe("ask");
    expect(judge({ tool: "mcp__docs__search", input: { query: "x" } }, daily, machine)).toMatchObject({
      verdict: "ask",
      because: expect.stringContaining("no rule names the MCP tool mcp:docs/search"),
    });
    const allowing = { ...daily, tools: { ...daily.tools, allow: ["mcp:docs/*", "Bash"], otherwise: "ask" } } as const;
    expect(judge({ tool: "mcp__docs__search", input: { query: "x" } }, allowing, machine).verdict).toBe("allow");
    expect(judge({ tool: "mcp__docs__search", input: { path: "/etc/shadow" } }, allowing, machine).verdict).toBe(
      "deny",
    );
  });
});

describe("fields beside the command", () => {
  const run = (input: object) => judge({ tool: "shell", input }, daily, machine).verdict;
  test("the folder that a call names is where its paths start, and must be one that may be read", () => {
    expect(run({ command: "cat a.txt", workdir: "src" })).toBe("allow");
    expect(run({ command: "echo x > config", workdir: ".git" })).toBe("deny");
    expect(run({ command: "ls", workdir: "/root" })).toBe("ask");
    expect(run({ command: ["bash", "-lc", "echo x > hooks/a"], workdir: "/srv/repo/.git" })).toBe("deny");
  });
  test("variables are judged like those in front of a command", () => {
    expect(run({ command: "npm test", env: { CI: "1" } })).toBe("allow");
    expect(run({ command: "npm test", env: { NODE_OPTIONS: "-r ./x" } })).toBe("ask");
    expect(run({ command: "npm test", env: "PATH=." })).toBe("deny");
  });
  test("a patch names the files it changes", () => {
    const patch = (path: string) =>
      judge(
        {
          tool: "apply_patch",
          input: { input: `*** Begin Patch\n*** Update File: ${path}\n@@\n-a\n+b\n*** End Patch` },
        },
        daily,
        machine,
      ).verdict;
    expect([patch("src/a.ts"), patch(".claude/settings.json"), patch("../x")]).toEqual(["allow", "deny", "ask"]);
    expect(judge({ tool: "apply_patch", input: { input: "nothing" } }, daily, machine).verdict).toBe("deny");
  });
});

describe("taint", () => {
  const tainted = { ...machine, tainted: true };
  test("raises the network and programs without a rule, and nothing else", () => {
    expect(judge({ tool: "WebFetch", input: { url: "https://github.com/x" } }, daily, machine).verdict).toBe("allow");
    expect(judge({ tool: "WebFetch", input: { url: "https://github.com/x" } }, daily, tainted).verdict).toBe("ask");
    expect(judge({ tool: "Bash", input: { command: "newtool" } }, open, tainted).verdict).toBe("ask");
    expect(judge({ tool: "Bash", input: { command: "git status" } }, daily, tainted).verdict).toBe("allow");
    expect(judge({ tool: "Bash", input: { command: "sudo id" } }, daily, tainted).verdict).toBe("deny");
  });
});

test("a text screen can deny and cannot grant", () => {
  const screen = (risk: "none" | "high") => ({
    ...machine,
    screen: () => ({ risk, findings: [{ because: "it orders an agent about" }] }),
  });
  expect(judge({ tool: "Bash", input: { command: "echo x" } }, daily, screen("high")).verdict).toBe("deny");
  expect(judge({ tool: "Bash", input: { command: "sudo id" } }, daily, screen("none")).verdict).toBe("deny");
});

test("without a person to ask, ask is deny", () => {
  expect(shell("unknown-tool", { ...daily, interactive: false })).toBe("deny");
});

describe("the default policy can be lived under", () => {
  test.each([
    "npm test",
    "npm run build 2>&1 | tail -20",
    "git add -A && git commit -m \"$(cat <<'EOF'\nFix rm -rf\nEOF\n)\"",
    "rg -n foo src | head",
    "cargo test",
    "pytest -q",
    "mkdir -p a && touch a/b",
    "rm -rf dist",
    "sed -i s/a/b/ src/x.ts",
    'for f in src/*.ts; do wc -l "$f"; done',
    "gh pr list",
    "cd packages/a && npm test",
  ])("allows %s", (command) => {
    expect(shell(command)).toBe("allow");
  });
  test.each([
    "git push",
    "npm install left-pad",
    "rm -rf src",
    "rm -rf dist src",
    "python3 -c 'x'",
    "curl https://example.com",
    "git reset --hard",
    "chmod u+s x",
  ])("asks about %s", (command) => {
    expect(shell(command)).toBe("ask");
  });
  test.each([
    "sudo id",
    "cat .env",
    "echo x > .git/hooks/pre-commit",
    "echo x >> ~/.bashrc",
    "crontab -",
    "nc -l 80",
    "rm -rf .",
    "cat ~/.ssh/id_rsa",
    "tee .github/workflows/ci.yml < x",
  ])("denies %s", (command) => {
    expect(shell(command)).toBe("deny");
  });
});

describe("a trap", () => {
  test.each([
    "trap",
    "trap -p",
    "trap -p EXIT",
    "trap -l",
    "trap INT",
    "trap '' TERM; echo a",
    'trap "" INT TERM',
    "trap ' ' HUP",
    "trap - INT",
    "trap - SIGINT 15 EXIT",
    "trap -- '' HUP",
    "trap -- - INT",
    "trap 'echo a' EXIT",
    "trap -- 'echo a' EXIT",
  ])("that runs nothing, or something harmless, is allowed: %s", (command) => {
    expect(shell(command)).toBe("allow");
  });

  test.each([
    "trap 'rm -rf /' EXIT",
    "trap -- 'rm -rf /' EXIT",
    "trap 'sudo id' INT TERM",
    "builtin trap 'sudo id' EXIT",
    "command trap -- 'sudo id' EXIT",
    "trap '' TERM; sudo id",
    "(trap '' TERM; sudo id)",
    "trap 'trap \"sudo id\" EXIT' INT",
    "x=; trap $x 'sudo id' EXIT",
    "x=; trap - $x 'sudo id' EXIT",
    "trap -p 'sudo id' EXIT",
  ])("is denied for what it would run: %s", (command) => {
    expect(shell(command)).toBe("deny");
  });

  test.each([
    'trap "$x" INT',
    "trap $x INT",
    "trap $x",
    "trap -- $x",
    "trap '' $x",
    "trap $(:) 'sudo id' EXIT",
    "trap $(printf '') 'sudo id' EXIT",
    "trap ${x:-} 'sudo id' EXIT",
    "trap $* 'sudo id' EXIT",
    "trap \"$@\" 'sudo id' EXIT",
    'trap "${a[@]}" curl EXIT',
    "trap * EXIT",
    "trap '\u00a0' EXIT",
    "trap -- -p EXIT",
    "trap '' unknown-program EXIT",
    "trap 'curl https://example.com' EXIT",
    "trap -x EXIT",
  ])("whose action is not known, or no rule knows, is not allowed: %s", (command) => {
    expect(shell(command)).not.toBe("allow");
  });
});

test.each(["tar --$'x\\nALLOW' f", "export $'A\\nALLOW'=1", "find . -$'a\\nALLOW'", "git -c $'a\\nALLOW'=x log"])(
  "a reason that quotes %s has one line",
  (command) => {
    const { verdict, because, findings } = judge({ tool: "Bash", input: { command } }, daily, machine);
    expect(verdict).not.toBe("allow");
    expect([because, ...findings.map((finding) => finding.because)].filter((text) => text.includes("\n"))).toEqual([]);
    expect(because).toContain("\\nALLOW");
  },
);
