import { expect, test } from "vitest";
import { tempFolder } from "../../test/support/temp-folder.ts";
import type { AuditEntry } from "../contract/verdict.ts";
import { openSegment } from "../guard/audit/write-audit.ts";
import { verifyAudit } from "../guard/audit/verify-audit.ts";
import { auditStory, lastSession, newestRecords, recordsOf, sessionsNamed } from "./audit.ts";

const entry = (time: string, more: Partial<AuditEntry> & { readonly command?: string }): AuditEntry => ({
  time: `2026-02-01T${time}.000Z`,
  session: "s1",
  agent: "claude",
  tool: "Bash",
  call: JSON.stringify({ command: more.command ?? "npm test" }),
  cwd: "/srv/repo",
  effects: [],
  verdict: "allow",
  code: "rule-allow",
  rules: ["run-scripts.1"],
  policy: "p",
  ...more,
});

const host = (time: string, name: string, more: Partial<AuditEntry> & { readonly command: string }): AuditEntry =>
  entry(time, {
    tool: "network",
    call: JSON.stringify({ host: name, command: more.command }),
    verdict: "deny",
    rules: [`${name} is not in network.allow`],
    ...more,
  });

function logOf(...segments: readonly (readonly AuditEntry[])[]): string {
  const home = tempFolder();
  for (const entries of segments) {
    using segment = openSegment(home, { now: () => Date.parse("2026-02-01") });
    for (const one of entries) segment.append(one);
  }
  return home;
}

test("each call stands under its session with verdict, reason and rule, what a person said, and its hosts", () => {
  const ask = {
    command: "curl https://b.example",
    verdict: "ask",
    code: "network-unlisted",
    rules: ["network"],
  } as const;
  const home = logOf(
    [
      entry("10:00:00", {}),
      entry("10:00:02", { ...ask, because: "needs b.example:443" }),
      entry("10:00:03", { ...ask, verdict: "allow", code: "person-once", rules: ["person"] }),
      entry("10:01:00", { session: "s2", agent: "codex", tool: "Read", call: '{"path":"a.ts"}' }),
    ],
    [
      host("10:00:01", "a.example:443", { command: "npm test" }),
      host("10:00:04", "b.example:443", {
        command: ask.command,
        verdict: "allow",
        rules: ["in network.allow, or lent"],
      }),
    ],
  );
  expect(auditStory(newestRecords(home, 50))).toBe(`claude  /srv/repo  2026-02-01 10:00:00 to 10:00:02 UTC  session s1
  10:00:00  allow  $ npm test
                   refused a.example:443: a.example:443 is not in network.allow
  10:00:02  ask    $ curl https://b.example
                   needs b.example:443 (rule network)
                   a person said yes
                   allowed b.example:443: in network.allow, or lent

codex  /srv/repo  2026-02-01 10:01:00 to 10:01:00 UTC  session s2
  10:01:00  allow  Read a.ts
`);
  expect(lastSession(home)).toBe("s2");
  expect(sessionsNamed(home, "s")).toEqual(["s1", "s2"]);
  expect(sessionsNamed(home, "s1")).toEqual(["s1"]);
});

test("hosts that early releases recorded for nobody stand under the call that asked, and the log still verifies", () => {
  const home = logOf(
    [entry("10:00:00", {}), entry("10:00:01", { command: "make" })],
    [
      host("10:00:02", "a.example:443", { session: "network", command: "make" }),
      host("10:00:03", "b.example:443", { session: "network", command: "make", agent: "codex" }),
      host("09:00:00", "c.example:443", { session: "network", command: "make" }),
    ],
  );
  expect(lastSession(home)).toBe("s1");
  expect(auditStory(recordsOf(home, "s1")).split("\n").slice(1)).toEqual([
    "  10:00:00  allow  $ npm test",
    "  10:00:01  allow  $ make",
    "                   refused a.example:443: a.example:443 is not in network.allow",
    "",
  ]);
  expect(auditStory(recordsOf(home, "network"))).toContain("asked for by $ make\n");
  expect(verifyAudit(home).bad).toBeUndefined();
});

test("a record that was cut, and a line that is none, are shown as far as they go", () => {
  const home = logOf([entry("10:00:00", { call: '{"command":"echo aaa' }), entry("10:00:01", { call: "" })]);
  expect(auditStory(newestRecords(home, 50))).toContain('  10:00:00  allow  Bash "{\\"command\\":\\"echo aaa"\n');
});

test("the newest records come from the segments that were written last", () => {
  const many = Array.from({ length: 30 }, (_, index) => entry(`10:00:${String(index).padStart(2, "0")}`, {}));
  const home = logOf(many.slice(0, 20), many.slice(20));
  expect(newestRecords(home, 3).map(({ time }) => time.slice(17, 19))).toEqual(["27", "28", "29"]);
  expect(newestRecords(home, 100)).toHaveLength(30);
});
