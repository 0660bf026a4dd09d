import { expect, test } from "vitest";
import type { CheckResult } from "../proof/doctor/check.ts";
import type { Examination } from "../proof/doctor/examine.ts";
import { whatToStart } from "../proof/doctor/examine.ts";
import { doctorScreen } from "./doctor.ts";

const paint = (_: string, text: string) => text;
const promptDelivery: Examination["promptDelivery"] = {
  requested: "auto",
  thresholdBytes: 1,
  warnings: [],
  agents: [],
};

function examination(...checks: readonly CheckResult[]): Examination {
  return { ok: true, ...whatToStart(checks), checks, promptDelivery };
}

const ACTIVE: CheckResult = { id: "active-agent", status: "ok", summary: "", facts: { agent: "codex" } };
const agent = (name: string): CheckResult => ({
  id: `agent.${name}`,
  status: "ok",
  summary: "unguarded: much",
  facts: { version: "1.2" },
});
const absent = (name: string): CheckResult => ({
  id: `agent.${name}`,
  status: "absent",
  summary: "not installed",
  fix: `npm install -g ${name}; or set X`,
});
const SANDBOX: CheckResult = { id: "sandbox", status: "ok", summary: "contained: yes (disk), by bubblewrap" };
const UNPROVEN: CheckResult = {
  id: "proof.codex",
  status: "warn",
  summary: "not tested",
  fix: "run: signalbox prove codex",
};

test("it begins with what one can start and what to do next, the active agent first", () => {
  const all = examination(ACTIVE, SANDBOX, agent("claude"), agent("codex"), absent("copilot"), UNPROVEN);
  expect(doctorScreen(all, { paint, as: "npx signalbox" })).toBe(`You can start  codex 1.2, claude 1.2
Not set up     copilot
Contained      yes (disk), by bubblewrap

Next           npx signalbox codex
               npx signalbox run codex "TASK" --accept "npm test"
               npx signalbox prove codex

warn   proof.codex       not tested
                         fix: run: npx signalbox prove codex

No check failed. 4 are fine. All of them: npx signalbox doctor --verbose
`);
});

test.each([
  ["2.1.325 (Claude Code)", "codex 2.1.325"],
  ["codex-cli 0.166.0-alpha.1", "codex 0.166.0-alpha.1"],
  ["GitHub Copilot CLI 1.0.102.", "codex 1.0.102"],
  ["unknown", "codex"],
])("of the version %j only the number is shown", (version, shown) => {
  const text = doctorScreen(examination(ACTIVE, { ...agent("codex"), facts: { version } }), { paint, as: "signalbox" });
  expect(text.split("\n")[0]).toBe(`You can start  ${shown}`);
});

test("agents that are not proven are one warning with one command, and fit on 24 lines of 80 columns", () => {
  const names = ["claude", "codex", "copilot", "gemini"];
  const unproven = names.map((name) => ({
    ...UNPROVEN,
    id: `proof.${name}`,
    facts: { state: name === "gemini" ? "stale" : "missing" },
  }));
  const checks = [ACTIVE, SANDBOX, ...names.map(agent), absent("amplifier"), ...unproven];
  const as = "/a/rather/long/folder/bin/signalbox";
  const text = doctorScreen(examination(...checks), { paint, width: 80, rows: 24, as });
  const lines = text.split("\n");
  const rows = lines.map(({ length }) => Math.max(1, Math.ceil(length / 80)));
  expect(rows.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(24);
  expect(text).toContain(`
               /a/rather/long/folder/bin/signalbox prove

warn   proof             not tested against the rules yet: claude, codex,
                         copilot; tested, but something has changed since:
                         gemini
                         fix: run: /a/rather/long/folder/bin/signalbox prove

No check failed.`);
});

test("where one agent is proven already, the command names the others", () => {
  const missing = (name: string) => ({ ...UNPROVEN, id: `proof.${name}`, facts: { state: "missing" } });
  const proven: CheckResult = { id: "proof.claude", status: "ok", summary: "proven" };
  const all = examination(ACTIVE, SANDBOX, agent("codex"), proven, missing("codex"), missing("gemini"));
  expect(doctorScreen(all, { paint, as: "signalbox" })).toContain(`
warn   proof             not tested against the rules yet: codex, gemini
                         fix: run: signalbox prove codex gemini
`);
});

test("without an agent it says what to install", () => {
  const all = examination(ACTIVE, SANDBOX, ...["claude", "copilot", "codex", "gemini"].map(absent));
  expect(doctorScreen(all, { paint, as: "signalbox" })).toContain(`You can start  no agent yet
Not set up     claude, copilot, codex, gemini
Contained      yes (disk), by bubblewrap

Next           signalbox demo          a tour, offline
               npm install -g claude   install claude
               npm install -g copilot  install copilot
               npm install -g codex    install codex
               signalbox models        a model for native
`);
});

test.each([1, 3, 30])("with %d long problems it fits on 24 lines of 80 columns, failures first", (problems) => {
  const long = (at: number): CheckResult => ({
    id: `check.${at}`,
    status: at === problems - 1 ? "fail" : "warn",
    summary: `\u001b[2J${"many words ".repeat(30)}`,
    fix: "do a lot about it ".repeat(10),
  });
  const checks = Array.from({ length: problems }, (_, at) => long(at));
  const text = doctorScreen(examination(ACTIVE, SANDBOX, agent("codex"), ...checks), {
    paint,
    width: 80,
    rows: 24,
    as: "signalbox",
  });
  const lines = text.split("\n");
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(lines.length).toBeLessThanOrEqual(24);
  expect(text).not.toContain("\u001b");
  expect(text).toContain("1 check failed.");
  expect(lines.find((line) => /^(?:warn|fail)/.test(line))).toContain("fail");
});
