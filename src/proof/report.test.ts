import { expect, test } from "vitest";
import { type Report, reportText, shortcomings, shortVersion } from "./report.ts";

const report: Report = {
  agents: [
    {
      agent: "claude",
      version: "2.1.325 (Claude Code)",
      binarySha256: "aa",
      guarantees: [
        { id: "deny", verdict: "PASS", because: "seen" },
        { id: "parallel", verdict: "FAIL", because: "a denied call ran: no-7" },
        { id: "resume", verdict: "INCONCLUSIVE", because: "it cannot be resumed offline" },
      ],
    },
  ],
};

test("the table has a row for each guarantee that was tried and a reason for whatever did not pass", () => {
  const lines = reportText(report, (verdict, text) => (verdict === "FAIL" ? `!${text}` : text)).split("\n");
  expect(lines).toEqual([
    "                       claude 2.1.325",
    "deny                   PASS",
    "parallel               !FAIL",
    "resume                 INCONCLUSIVE",
    "",
    "FAIL claude parallel: a denied call ran: no-7",
    "INCONCLUSIVE claude resume: it cannot be resumed offline",
    "",
    "1 PASS, 1 FAIL, 1 INCONCLUSIVE",
    "",
  ]);
});

test("colours reach the terminal as they are, and escape codes of an agent do not", () => {
  const [agent] = report.agents;
  const hostile = {
    agent: "claude",
    version: "\u001b[2J9",
    binarySha256: agent?.binarySha256 ?? "",
    guarantees: [{ id: "deny", verdict: "FAIL", because: "it said \u001b]0;x\u0007" }] as const,
  };
  const text = reportText({ agents: [hostile] }, (_, word) => `\u001b[31m${word}\u001b[39m`);
  expect(text).toContain("\u001b[31mFAIL");
  expect(text).toContain("FAIL claude deny: it said \\u{1b}]0;x\\u{7}\n");
  expect(text.replaceAll(/\u001b\[3[19]m/g, "")).not.toContain("\u001b");
});

test("a failure always counts; an open or missing one when it is required", () => {
  expect(shortcomings(report, [])).toEqual(["claude parallel"]);
  expect(shortcomings(report, ["deny", "parallel", "resume", "sub-agent"])).toEqual([
    "claude parallel",
    "claude resume",
    "claude sub-agent",
  ]);
});

test.each([
  ["2.1.325 (Claude Code)", "2.1.325"],
  ["GitHub Copilot CLI 1.0.102.", "1.0.102"],
  ["codex-cli 0.167.0-alpha.2", "0.167.0-alpha.2"],
  ["unknown", "unknown"],
])("of %s the table shows %s", (version, short) => expect(shortVersion(version)).toBe(short));
