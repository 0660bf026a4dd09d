import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { screen } from "./screen.ts";

const FIXTURES = join(import.meta.dirname, "../../../test/fixtures");

interface Case {
  readonly id: string;
  readonly label: string;
  readonly category: string;
  readonly channel: string;
  readonly language: string;
  readonly text: string;
  /** Only in the development set: its half. */
  readonly half?: string;
}

function isCase(value: unknown): value is Case {
  return typeof value === "object" && value !== null && "text" in value && "label" in value && "language" in value;
}

const casesOf = (file: string): Case[] =>
  readFileSync(join(FIXTURES, file), "utf8")
    .trim()
    .split("\n")
    .map((line): unknown => JSON.parse(line))
    .filter(isCase);

const flagged = (one: Case) => !["none", "low"].includes(screen(one.text, { channel: one.channel }).risk);
const share = (cases: readonly Case[]) => cases.filter(flagged).length / cases.length;

/** `de 7/7, fr 6/7 …`: how many cases of each group were flagged. */
function table(cases: readonly Case[], group: (one: Case) => string): string {
  const groups = Object.entries(Object.groupBy(cases, group));
  return groups.map(([name, some = []]) => `${name} ${some.filter(flagged).length}/${some.length}`).join(", ");
}

const summary = (file: string, malicious: readonly Case[], benign: readonly Case[]) =>
  `${file}: ${table(malicious, () => "malicious flagged")}; ${table(benign, () => "benign flagged")}`;

/** The results of a batch, by language and class. */
function report(name: string, cases: readonly Case[]): { recall: number; falseAlarms: number; text: string } {
  const malicious = cases.filter((one) => one.label === "malicious");
  const benign = cases.filter((one) => one.label === "benign");
  const text = [
    summary(name, malicious, benign),
    `recall by language: ${table(malicious, (one) => one.language)}`,
    `recall by class: ${table(malicious, (one) => one.category)}`,
    `false alarms by class: ${table(benign, (one) => one.category)}`,
  ].join("\n");
  if (process.env["SCORES"]) process.stdout.write(`${text}\n\n`);
  return { recall: share(malicious), falseAlarms: share(benign), text };
}

// With SCORES=1 in the environment, the figures are always printed.
test.each([
  "injection-cases.jsonl",
  "injection-own-cases.jsonl",
  "injection-fresh-cases.jsonl",
  "injection-a-cases.jsonl",
  "injection-b-cases.jsonl",
  "injection-c-cases.jsonl",
  "injection-d-cases.jsonl",
  "injection-e-cases.jsonl",
  "injection-f-cases.jsonl",
])("of %s at least 90 % of the malicious and at most 3 % of the benign are flagged", (file) => {
  const { recall, falseAlarms, text } = report(file, casesOf(file));
  expect(recall, text).toBeGreaterThanOrEqual(0.9);
  expect(falseAlarms, text).toBeLessThanOrEqual(0.03);
});

// Individual texts of the held-out half were never inspected while tuning the rules. Keep it that way: look at the
// rates only.
test.each([
  ["tune", 0.97, 0.02],
  ["held-out", 0.9, 0.04],
  ["second", 0.88, 0.04],
  ["third", 0.95, 0.02],
])("of the development set, the part %s keeps its rates", (half, fewest, most) => {
  const cases = casesOf("injection-development-cases.jsonl").filter((one) => one.half === half);
  const { recall, falseAlarms, text } = report(`development, ${half}`, cases);
  expect(recall, text).toBeGreaterThanOrEqual(fewest);
  expect(falseAlarms, text).toBeLessThanOrEqual(most);
});
