import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PRESETS } from "../../guard/presets/presets.ts";
import { realMachine } from "../../guard/machine/real-machine.ts";
import type { PermissionAnswer, PermissionQuestion } from "../../contract/tool.ts";
import type { AuditEntry } from "../../contract/verdict.ts";
import { UNCONTAINED } from "../../sandbox/run/contained-commands.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { assessCommand, guardPermit } from "./guard-permit.ts";
import { pathGate } from "./path-gate.ts";

const policy = { ...PRESETS.default, version: 1, workspaceRoot: "/work/project", home: "/home/user" } as const;
const world = { readLink: () => undefined, addresses: () => undefined, now: () => 0 };
const assess = (command: string) => assessCommand(command, policy, world);

test("a pipeline that only looks is read-only in all its parts", () => {
  expect(assess("git log -3 | grep -c fix src/a.ts 2>/dev/null")).toEqual({
    commands: [
      { identifier: "git log", readOnly: true },
      { identifier: "grep", readOnly: true },
    ],
    possiblePaths: ["/dev/null", "src/a.ts"],
    possibleUrls: [],
    hasWriteFileRedirection: false,
    canOfferSessionApproval: true,
  });
});

test("what is written, fetched and redirected is named", () => {
  const { commands, possiblePaths, possibleUrls, hasWriteFileRedirection } = assess(
    "curl -s https://example.com/a > out.txt && /usr/bin/rm -f old.txt",
  );
  expect({ commands, possiblePaths, possibleUrls, hasWriteFileRedirection }).toEqual({
    commands: [
      { identifier: "curl", readOnly: false },
      { identifier: "rm", readOnly: false },
    ],
    possiblePaths: ["out.txt", "old.txt"],
    possibleUrls: ["https://example.com/a"],
    hasWriteFileRedirection: true,
  });
});

test.each(["./x $(cat a)", "./x $UNSET", 'eval "$(./y)"', "echo 'open"])(
  "%s cannot be approved for the session: its text does not say what it does",
  (command) => {
    expect(assess(command).canOfferSessionApproval).toBe(false);
  },
);

function asking(answers: readonly PermissionAnswer[]) {
  const asked: PermissionQuestion[] = [];
  const entries: AuditEntry[] = [];
  const home = tempFolder();
  const own = { ...policy, workspaceRoot: tempFolder(), home };
  const append = (entry: AuditEntry) => void entries.push(entry);
  const permit = guardPermit({
    policy: own,
    gate: pathGate(own, realMachine),
    record: { session: "s", agent: "native", append, redact: (text) => text },
    containment: UNCONTAINED,
    isTainted: () => false,
    approved: new Set(),
    home,
    askPerson: async (question) => {
      asked.push(question);
      return answers[asked.length - 1] ?? "reject";
    },
  });
  const push = () =>
    permit({ id: "1", name: "bash", input: { command: "git push a b" } }, new AbortController().signal);
  return { push, asked, codes: () => entries.map(({ code }) => code), home };
}

test("a no with a word is a denial that the model reads; a bare no ends the turn", async () => {
  const { push, codes } = asking([{ instead: "open a pull request" }, "reject"]);
  expect([await push(), await push()]).toEqual([
    { verdict: "deny", because: "the person said no, and: open a pull request" },
    { verdict: "reject", because: "the person said no" },
  ]);
  expect(codes().filter((code) => code.startsWith("person-"))).toEqual(["person-reject", "person-reject"]);
});

test("always holds for this session too, and the rule is written only when it is asked to be", async () => {
  const { push, asked, home, codes } = asking(["always"]);
  expect([await push(), await push(), asked.length]).toEqual([{ verdict: "allow" }, { verdict: "allow" }, 1]);
  expect(codes()).toContain("person-always");
  const { parts } = asked[0] ?? {};
  expect(parts?.details()).toContain("ASK  git push a b");
  const rule = await parts?.rule();
  const file = join(home, "policy.yaml");
  expect(existsSync(file)).toBe(false);
  if (rule === undefined || !("write" in rule)) throw new Error("no rule was offered");
  expect([rule.file, rule.text]).toEqual([file, expect.stringContaining("+    argv: [git, push, a, b]")]);
  rule.write();
  expect(readFileSync(file, "utf8")).toContain("argv: [git, push, a, b]");
});
