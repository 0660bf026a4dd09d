import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, release, totalmem } from "node:os";
import { join } from "node:path";
import manifest from "../package.json" with { type: "json" };
import { parseJson } from "../src/lib/json/parse-json.ts";
import { isRecord } from "../src/lib/json/json-value.ts";
import type { SuiteResult } from "./suite.ts";

/** What the suites of one run measured, or why one of them did not end. */
export type Results = Readonly<Record<string, SuiteResult | { readonly failed: string }>>;

const file = join(import.meta.dirname, "RESULTS.md");
const baseline = join(import.meta.dirname, "baseline.json");

/** Writes one table of all suites, with the machine that they ran on. */
export function writeResults(results: Results, { load, command }: { readonly load: number; readonly command: string }) {
  const rows = Object.entries(results).flatMap(([suite, result]) =>
    "failed" in result
      ? [`| ${suite} | not measured: ${cell(result.failed)} | | |`]
      : [...valuesOf(suite, result), ...ratiosOf(suite, result)],
  );
  const lines = [
    "# Measurements",
    "",
    `Written by \`${command}\`; a quiet machine is needed for numbers that can be compared with others. What each suite does is said at the top of its file in \`bench/\`. Peers and floors ran in the same run, in turns.`,
    "",
    `- signalbox ${manifest.version} (${commit()}), Node ${process.version}, Linux ${release()}`,
    `- ${cpus().length} × ${cpus()[0]?.model ?? "unknown"}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    `- load average of a minute: ${load.toFixed(1)} before, ${(loadavg()[0] ?? 0).toFixed(1)} after`,
    "",
    "| suite | subject | measure | value |",
    "| --- | --- | --- | --- |",
    ...rows,
  ];
  writeFileSync(file, `${lines.join("\n")}\n`);
  return file;
}

function valuesOf(suite: string, { rows }: SuiteResult): readonly string[] {
  return rows.flatMap((row) => {
    const entries = Object.entries(row);
    const subject = entries.flatMap(([, value]) => (typeof value === "string" ? [value] : [])).join(", ");
    return entries.flatMap(([name, value]) =>
      typeof value === "number" && !Number.isNaN(value) ? [`| ${suite} | ${cell(subject)} | ${name} | ${value} |`] : [],
    );
  });
}

const ratiosOf = (suite: string, { ratios = {} }: SuiteResult) =>
  Object.entries(ratios).map(([name, value]) => `| ${suite} | ${cell(name)} | ratio | ${value.toFixed(2)} |`);

const cell = (text: string) => text.replaceAll(/\s+/g, " ").replaceAll("|", "\\|");

function commit(): string {
  try {
    return execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd: import.meta.dirname, encoding: "utf8" }).trim();
  } catch {
    return "not in a repository";
  }
}

/** A ratio may be this much worse than the stored one: some of it is noise. */
const TOLERANCE = 1.5;

/** The ratios that are worse than the stored ones, in words. Ratios to what ran beside it depend little on the machine. */
export function regressions(results: Results): readonly string[] {
  if (!existsSync(baseline)) return ["there is none: npm run bench -- --baseline stores it, on a quiet machine"];
  const stored = parseJson(readFileSync(baseline, "utf8"));
  return Object.entries(ratiosIn(results)).flatMap(([name, ratio]) => {
    const before = isRecord(stored) ? stored[name] : undefined;
    const isWorse = typeof before === "number" && ratio > before * TOLERANCE;
    return isWorse ? [`${name}: ${ratio.toFixed(2)}, was ${before.toFixed(2)}`] : [];
  });
}

export function storeBaseline(results: Results): void {
  const rounded = Object.entries(ratiosIn(results)).map(([name, ratio]) => [name, Math.round(ratio * 100) / 100]);
  writeFileSync(baseline, `${JSON.stringify(Object.fromEntries(rounded), undefined, 2)}\n`);
}

function ratiosIn(results: Results): Readonly<Record<string, number>> {
  const found = Object.entries(results).flatMap(([suite, result]) =>
    "failed" in result
      ? []
      : Object.entries(result.ratios ?? {}).map(([name, ratio]) => [`${suite}: ${name}`, ratio] as const),
  );
  return Object.fromEntries(found.filter(([, ratio]) => Number.isFinite(ratio)));
}
