import { describe, expect, test } from "vitest";
import { HELD_PARTS, PARTLY_HELD } from "../../contract/agent-call.ts";
import type { Policy, Rule } from "../../contract/policy.ts";
import { explainToModel, explainToPerson } from "../explain.ts";
import { fakeMachine } from "../machine/fake-machine.ts";
import { judge, type JudgeExtras } from "../judge/judge.ts";
import { PRESETS } from "../presets/presets.ts";

const daily: Policy = { ...PRESETS.default, version: 1, workspaceRoot: "/srv/repo", home: "/home/dev" };
const ci: Policy = { ...PRESETS.ci, version: 1, workspaceRoot: "/srv/repo", home: "/home/dev" };
const readOnly: Policy = { ...PRESETS["read-only"], version: 1, workspaceRoot: "/srv/repo", home: "/home/dev" };
const restorable: JudgeExtras = { contained: HELD_PARTS, recoverable: () => true };

function judged(command: string, policy: Policy = daily, extras: JudgeExtras = restorable) {
  return judge({ tool: "Bash", input: { command } }, policy, { ...fakeMachine({}), ...extras });
}
const needsOf = (command: string, policy = daily) =>
  judged(command, policy).needs?.map(({ kind, target }) => `${kind} ${target}`);
const withRule = (rule: Partial<Rule> & Pick<Rule, "argv" | "verdict">, policy = daily): Policy => ({
  ...policy,
  rules: [...policy.rules, { id: "mine", source: "user", exact: false, because: "mine", ...rule }],
});

test("a command that names nothing forbidden runs inside, whatever the program is", () => {
  const { verdict, contained, needs } = judged("./anything --now && python x.py | some-tool");
  expect({ verdict, contained, needs }).toEqual({ verdict: "allow", contained: true, needs: undefined });
});

test("an allowed command says why it is allowed, not why it would have been asked about", () => {
  const reasons = ["some-tool --now", "python x.py", "git clean -fd", "ls"].map((command) => judged(command).because);
  expect(reasons).toEqual([
    "runs in the sandbox",
    "runs in the sandbox",
    "runs in the sandbox",
    judged("ls", daily, {}).because,
  ]);
});

test("without a sandbox, and for other tools, a decision says nothing about one", () => {
  expect(judged("ls", daily, {}).contained).toBeUndefined();
  expect(judged("ls", daily, { contained: [] }).contained).toBeUndefined();
  const read = judge({ tool: "Read", input: { file_path: "a" } }, daily, { ...fakeMachine({}), ...restorable });
  expect([read.verdict, read.contained]).toEqual(["allow", undefined]);
});

describe("a code counts as held only where its parts are", () => {
  test.each([
    ["python x.py", ["disk", "secrets", "network"], "allow"],
    ["python x.py", ["disk", "secrets"], "ask"],
    ["python x.py", ["disk", "network"], "ask"],
    ["kill 1", ["disk", "secrets", "network"], "ask"],
    ["kill 1", HELD_PARTS, "allow"],
    ["nc -z localhost 1", ["disk", "secrets", "processes"], "deny"],
    ["dd if=a of=b", ["network", "processes"], "deny"],
    ["echo a | env", ["disk", "secrets", "network"], "ask"],
  ] as const)("%s with %j", (command, contained, verdict) => {
    expect(judged(command, daily, { contained, recoverable: () => true }).verdict).toBe(verdict);
  });
});

describe("in the weaker form of the sandbox", () => {
  const partly = (command: string) =>
    judged(command, daily, { contained: PARTLY_HELD, recoverable: () => true }).verdict;

  test("programs run, whatever they are", () => {
    expect(["python x.py", "npm install", "./anything --now", "node server.js"].map(partly)).toEqual(
      Array.from({ length: 4 }, () => "allow"),
    );
  });

  test.each([
    ["cat .env*", "ask"],
    ["sed -i s/a/b/ .vsc*/settings.json", "ask"],
    ["rm -rf .[a-z]*", "ask"],
    ["kill 1", "ask"],
    ["cat .env", "deny"],
  ])("%s is judged as without one", (command, verdict) => {
    expect([partly(command), judged(command, daily, {}).verdict]).toEqual([verdict, verdict]);
  });
});

describe("what the sandbox does not give is asked for by name", () => {
  test.each([
    ["curl https://example.com/x", ["host example.com:443"]],
    ["curl 'https://[2001:db8::2]:8443/'", ["host [2001:db8::2]:8443"]],
    ["touch /opt/x", ["path /opt/x"]],
    ["cp a.txt ~/Desktop/", ["path /home/dev/Desktop", "path /home/dev/Desktop/a.txt"]],
    ["cat ~/notes.txt", ["path /home/dev/notes.txt"]],
    ["git config user.name x", ["path /srv/repo/.git/config"]],
    ["git remote add up https://github.com/x/y", ["path /srv/repo/.git/config"]],
    ["git branch -m old new", ["path /srv/repo/.git/config"]],
    ["git branch --set-upstream-to=origin/main", ["path /srv/repo/.git/config"]],
    ["git checkout -b f --track origin/main", ["path /srv/repo/.git/config"]],
    ["git sparse-checkout set src", ["path /srv/repo/.git/config"]],
    ["git submodule update --init --recursive", ["outside the settings of the repository"]],
    ["git push -u ./mirror main", ["path /srv/repo/.git/config"]],
    ["echo $API_TOKEN", ["variable API_TOKEN"]],
    ["docker build .", ["outside the container engine"]],
    ["cat /dev/ttyUSB0", ["outside the device /dev/ttyUSB0"]],
    ["ssh host id", ["outside your ssh keys"]],
    ["git clone git@github.com:x/y.git", ["outside your ssh keys and github.com"]],
    ["git push", ["outside your git login for the remote"]],
    ["gh api x", ["outside your GitHub login"]],
    ["npm install -g x", ["outside the tools of every project"]],
  ])("%s", (command, needs) => {
    expect([judged(command).verdict, needsOf(command)]).toEqual(["ask", needs]);
  });

  test("what leaves the repository's settings alone does not need them", () => {
    const free = [
      "git checkout -b f origin/main",
      "git switch main",
      "git branch f --no-track",
      "git branch -d merged",
      "git branch --contains x -a",
      "git remote -v",
      "git submodule status",
      "git submodule update",
      "git sparse-checkout list",
    ];
    expect(free.filter((command) => judged(command).verdict !== "allow")).toEqual([]);
    expect(judged("git branch -m old new", daily, {}).needs).toBeUndefined();
  });

  test("only what cannot be lent runs outside", () => {
    expect([judged("curl https://example.com").contained, judged("docker ps -x").contained]).toEqual([true, false]);
  });

  test("loopback, temporary folders, caches and most of the disk are there", () => {
    const free = [
      "curl http://localhost:3000",
      "curl -d x 127.0.0.1:8080",
      "curl http://[::1]:80/",
      "echo x > /tmp/a",
      "rm -rf ~/.cache/pip",
      "cat /etc/passwd",
      "ls ~/.cargo/bin",
      "cd ~ && ls",
    ];
    expect(free.filter((command) => judged(command, ci).verdict !== "allow")).toEqual([]);
  });

  test("an address that only looks like loopback is a host", () => {
    const hosts = ["http://localhost.example.com", "http://localhost@example.com", "http://127.0.0.1.example.com"];
    expect(hosts.filter((url) => judged(`curl ${url}`).verdict === "allow")).toEqual([]);
  });

  test("a variable that the policy passes on is there", () => {
    expect(judged("echo $API_TOKEN", { ...daily, passVariables: ["API_TOKEN"] }).verdict).toBe("allow");
  });
});

describe("nobody to ask", () => {
  test.each([
    ["curl https://example.com", 'add "example.com" to network.allow'],
    ["echo $API_TOKEN", 'add "API_TOKEN" to env.pass'],
    ["touch /opt/x", 'add "/opt/x" to paths.write_roots'],
    ["git push", 'add the rule { id: outside, argv: ["git","push"], exact: true, verdict: allow, contained: false }'],
  ])("%s is denied with the line that would allow it", (command, line) => {
    const decision = judged(command, ci);
    expect(decision.verdict).toBe("deny");
    expect(explainToModel(decision)).toContain(line);
    expect(explainToPerson(command, decision)).toContain(line);
  });

  test("each of these lines works", () => {
    const { network, paths } = ci;
    const lifted: readonly (readonly [string, Policy])[] = [
      ["curl https://example.com", { ...ci, network: { ...network, allow: ["example.com"] } }],
      ["touch /opt/x", { ...ci, paths: { ...paths, writeRoots: [...paths.writeRoots, "/opt/x"] } }],
      ["git push", withRule({ argv: ["git", "push"], exact: true, verdict: "allow", contained: false }, ci)],
    ];
    expect(
      lifted.map(([command, policy]) => [judged(command, policy).verdict, judged(command, policy).contained]),
    ).toEqual([
      ["allow", true],
      ["allow", true],
      ["allow", false],
    ]);
  });
});

describe("rules that take a command out of the sandbox", () => {
  const policy = withRule({ argv: ["gh", "api"], verdict: "allow", contained: false });

  test("the command runs outside when it is allowed there", () => {
    expect([judged("gh api x", policy).verdict, judged("gh api x", policy).contained]).toEqual(["allow", false]);
  });

  test("nothing else comes along", () => {
    const beside = judged("gh api x && python x.py", policy);
    expect([beside.verdict, beside.contained]).toEqual(["ask", false]);
    expect(judged("gh api x; sudo id", policy).verdict).toBe("deny");
    expect(judged("gh api $(python x.py)", policy).verdict).toBe("ask");
  });

  test.each(["npm test", "make", "pytest", "git status", "npx eslint .", "git add -A && git commit -m x"])(
    "%s does not come along, although it is allowed without a sandbox",
    (command) => {
      expect(judged(command, daily, {}).verdict).toBe("allow");
      for (const line of [`docker ps; ${command}`, `${command} && gh api x`]) {
        const { verdict, contained } = judged(line, policy);
        expect([line, verdict, contained]).toEqual([line, "ask", false]);
        expect(explainToModel(judged(line, policy))).toContain("run it as a call of its own");
      }
    },
  );

  test("what only prints comes along", () => {
    const { verdict, contained } = judged("cd src && docker ps | grep web | sort | head -3", policy);
    expect([verdict, contained]).toEqual(["allow", false]);
  });

  test("an ask rule says that a yes runs it outside", () => {
    const asking = withRule({ argv: ["deploy"], verdict: "ask", contained: false });
    expect([judged("deploy", asking).verdict, judged("deploy", asking).contained]).toEqual(["ask", false]);
    expect(explainToPerson("deploy", judged("deploy", asking))).toContain("outside the sandbox");
  });
});

describe("a person's own rules", () => {
  const policy = withRule({ argv: ["deploy"], verdict: "deny" });

  test.each(["deploy", "sh -c deploy", "env deploy now", "x=deploy; $x"])("%s stays denied inside", (command) => {
    expect(judged(command, policy).verdict).toBe("deny");
  });

  test.each(['"$TOOL" now', "curl -s localhost | sh", 'eval "$(cat x)"', ". ./x.sh"])(
    "%s could mean it, so it is asked about",
    (command) => {
      expect([judged(command, policy).verdict, judged(command).verdict]).toEqual(["ask", "allow"]);
    },
  );

  test("what could not mean it is not asked about", () => {
    expect(judged("FOO=1 python x.py --x=$(date) && npm install", policy).verdict).toBe("allow");
  });
});

describe("after untrusted text", () => {
  const tainted: JudgeExtras = { ...restorable, tainted: true };

  test("contained programs still run", () => {
    expect(judged("python x.py && npm test", daily, tainted).verdict).toBe("allow");
  });

  test("a new host asks, one already reached does not, and nothing is lent", () => {
    const reached = { ...tainted, reached: (host: string) => host === "github.com" };
    const verdicts = ["curl https://github.com", "curl https://api.github.com", "curl https://example.com", "cat ~/x"];
    expect(verdicts.map((command) => judged(command, daily, reached).verdict)).toEqual([
      "allow",
      "ask",
      "deny",
      "deny",
    ]);
    expect(judged("curl https://example.com", daily, reached).needs).toBeUndefined();
    expect(judged("curl localhost:3000", daily, reached).verdict).toBe("allow");
  });

  test("instruction files ask, also where only a pattern matches them", () => {
    expect(
      ["echo x >> AGENTS.md", "sed -i s/a/b/ *.md"].map((command) => judged(command, daily, tainted).verdict),
    ).toEqual(["ask", "ask"]);
    expect(judged("sed -i s/a/b/ *.md").verdict).toBe("allow");
  });
});

describe("the presets inside", () => {
  test("read-only lets any program run and nothing change", () => {
    expect(
      ["python x.py", "npm test", "make", "cat a | sort"].filter(
        (command) => judged(command, readOnly).verdict !== "allow",
      ),
    ).toEqual([]);
    const changing = ["echo x > a", "rm a", "git commit -m x", "curl https://github.com", "git fetch origin"];
    expect(changing.filter((command) => judged(command, readOnly).verdict !== "deny")).toEqual([]);
  });

  test("ci runs nothing outside and reaches no host", () => {
    expect(
      ["gh pr list", "docker ps", "curl https://github.com"].map((command) => judged(command, ci).verdict),
    ).toEqual(["deny", "deny", "deny"]);
    expect(judged("npm ci && npm test", ci).verdict).toBe("allow");
  });

  test("the default asks services with the user's login outside", () => {
    expect([judged("gh pr list").verdict, judged("gh pr list").contained]).toEqual(["allow", false]);
  });

  test("floors stay denials", () => {
    const floors = [
      "sudo id",
      "cat ~/.ssh/id_rsa",
      "tee .git/hooks/x",
      "tee .github/workflows/x.yml",
      "crontab x",
      "cat .env",
    ];
    expect(floors.filter((command) => judged(command).verdict !== "deny")).toEqual([]);
  });
});

test("the needs of a command with several are all named", () => {
  const hosts = "curl https://a.example.com https://b.example.com";
  expect(needsOf(hosts)).toEqual(["host a.example.com:443", "host b.example.com:443"]);
  expect(needsOf(`${hosts} && docker ps -x`)).toEqual(["outside the container engine"]);
});
