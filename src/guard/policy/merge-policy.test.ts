import { expect, test } from "vitest";
import { PolicyFile } from "../../contract/policy.ts";
import { fakeMachine } from "../machine/fake-machine.ts";
import { judge } from "../judge/judge.ts";
import { withOrderPolicy } from "./compiled-policy.ts";
import { findIdleRules } from "./load-policy.ts";
import { mergePolicy, type PolicySource } from "./merge-policy.ts";

const place = { workspaceRoot: "/srv/repo", home: "/home/dev" };
const source = (origin: PolicySource["origin"], trusted: boolean, file: object): PolicySource => ({
  origin,
  trusted,
  file: PolicyFile.parse({ version: 1, ...file }),
});
const verdict = (sources: readonly PolicySource[], command: string) =>
  judge({ tool: "Bash", input: { command } }, mergePolicy(sources, place), fakeMachine({})).verdict;
const grant = { rules: [{ id: "deploy", argv: ["./deploy.sh"], verdict: "allow" }] };

test("a workspace grants nothing until it is trusted", () => {
  expect(verdict([source("workspace", false, grant)], "./deploy.sh")).toBe("ask");
  expect(verdict([source("workspace", true, grant)], "./deploy.sh")).toBe("allow");
});

test("an untrusted workspace may tighten", () => {
  const strict = source("workspace", false, {
    rules: [{ id: "no-npm", argv: ["npm"], verdict: "deny" }],
    paths: { deny_read: ["secret/**", "!**/.env"] },
    network: { mode: "none", allow: ["evil.example"] },
  });
  expect(verdict([strict], "npm test")).toBe("deny");
  expect(verdict([strict], "cat secret/x")).toBe("deny");
  expect(verdict([strict], "cat .env")).toBe("deny");
  expect(mergePolicy([strict], place).network).toMatchObject({ mode: "none" });
  expect(mergePolicy([strict], place).network.allow).not.toContain("evil.example");
});

test("a workspace sets the limits of the sandbox only if it is trusted; its level counts if it is stricter", () => {
  const file = { sandbox: { level: "strict", limits: { memory: "2G", processes: 100 } } };
  const user = source("user", true, { sandbox: { limits: { memory: "512M", tmp: "1G" } } });
  const untrusted = mergePolicy([user, source("workspace", false, file)], place);
  const trusted = mergePolicy([user, source("workspace", true, file)], place);
  const limits = { memory: 512 * 1024 ** 2, tmp: 1024 ** 3 };
  expect([untrusted.sandbox, untrusted.limits]).toEqual(["strict", limits]);
  expect([trusted.sandbox, trusted.limits]).toEqual(["strict", { ...limits, memory: 2 * 1024 ** 3, processes: 100 }]);
  for (const memory of ["2", "1.5G", "0G", "2T", 2048])
    expect(PolicyFile.safeParse({ version: 1, sandbox: { limits: { memory } } }).success).toBe(false);
});

test("a workspace that is not trusted can refuse the weaker form of the sandbox, and cannot take it", () => {
  const wanting = (landlock: string) => ({ sandbox: { landlock } });
  const merged = (one: string, other: string, isTrusted: boolean) =>
    mergePolicy([source("user", true, wanting(one)), source("workspace", isTrusted, wanting(other))], place).landlock;
  expect([merged("deny", "allow", false), merged("allow", "deny", false), merged("deny", "allow", true)]).toEqual([
    "deny",
    "deny",
    "allow",
  ]);
  expect(PolicyFile.safeParse({ version: 1, sandbox: { landlock: "yes" } }).success).toBe(false);
});

test("nobody removes another source's denial", () => {
  const managed = source("managed", true, {
    rules: [{ id: "no-push", argv: ["git", "push"], verdict: "deny" }],
    paths: { deny_read: ["keys/**"] },
  });
  const user = source("user", true, {
    rules: [{ id: "push", argv: ["git", "push"], verdict: "allow" }],
    paths: { deny_read: ["!keys/**"] },
  });
  expect(verdict([managed, user], "git push")).toBe("deny");
  expect(verdict([managed, user], "cat keys/a")).toBe("deny");
});

test("the user replaces a question of the preset by its id, and lifts a path of it", () => {
  const user = source("user", true, {
    rules: [{ id: "publish", argv: ["git", "push"], verdict: "allow" }],
    paths: { deny_read: ["!**/.env.ci"] },
  });
  expect(verdict([user], "git push origin main")).toBe("allow");
  expect(verdict([user], "cat .env.ci")).toBe("allow");
  expect(verdict([user], "cat .env")).toBe("deny");
});

test("a workspace can only choose a stricter preset", () => {
  expect(mergePolicy([source("workspace", false, { extends: "read-only" })], place).id).toBe("read-only");
  expect(
    mergePolicy(
      [source("user", true, { extends: "read-only" }), source("workspace", true, { extends: "default" })],
      place,
    ).id,
  ).toBe("read-only");
  expect(mergePolicy([source("workspace", true, { extends: "none" })], place).id).toBe("default");
  expect(mergePolicy([source("user", true, { extends: "none" })], place).id).toBe("none");
});

test("floors stand under every preset", () => {
  const open = source("user", true, {
    extends: "none",
    rules: [{ id: "tee", argv: ["tee"], verdict: "allow" }],
    paths: { write_roots: ["/srv", "/home/dev/x"] },
  });
  expect(verdict([open], "tee .git/config")).toBe("deny");
  expect(verdict([open], "tee .claude/settings.json")).toBe("deny");
  expect(verdict([open], "tee a.txt")).toBe("allow");
});

test("a work order narrows tools, paths and hosts", () => {
  const order = {
    allowed_tools: ["Read"],
    disallowed_tools: ["Bash"],
    deny_read: ["private/**"],
    deny_write: [],
    allow_network: ["api.example.com"],
    deny_network: [],
    require_approval_for: ["Edit"],
  };
  const policy = withOrderPolicy(mergePolicy([], place), order);
  const ask = (tool: string, input: object) => judge({ tool, input }, policy, fakeMachine({})).verdict;
  expect([
    ask("Bash", { command: "ls" }),
    ask("Read", { file_path: "a" }),
    ask("Read", { file_path: "private/a" }),
    ask("Write", { file_path: "a" }),
    ask("read_file", { path: "a" }),
  ]).toEqual(["deny", "allow", "deny", "deny", "allow"]);
  expect(() => withOrderPolicy(policy, { ...order, deny_network: ["*"] })).toThrow("not a host name");
});

test("rules that never count are named", () => {
  const policy = mergePolicy(
    [
      source("user", true, {
        rules: [
          { id: "all-sudo", argv: ["sudo", "ls"], verdict: "allow" },
          { id: "again", argv: ["git", "status", "-s"], verdict: "allow" },
        ],
      }),
    ],
    { ...place, preset: "default" },
  );
  expect(findIdleRules(policy.rules).filter(({ rule }) => rule === "all-sudo" || rule === "again")).toEqual([
    { rule: "all-sudo", by: "escalate.1", kind: "shadowed" },
    { rule: "again", by: "look-at-git.1", kind: "dead" },
  ]);
});
