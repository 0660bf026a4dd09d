import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isRecord, strings } from "../../lib/json/json-value.ts";
import { commandScreen } from "../screen/screen-command.ts";
import { screen } from "../screen/screen.ts";
import { judgeLine } from "../judge-line.ts";
import type { Policy } from "../../contract/policy.ts";
import { PRESETS } from "./presets.ts";

const CASES = join(import.meta.dirname, "../../../test/fixtures/guard/preset-cases.jsonl");
const daily: Policy = { ...PRESETS.default, version: 1, workspaceRoot: "/srv/repo", home: "/home/dev" };

test("the default preset asks about every hostile case and lets daily work pass", () => {
  const wrong = readFileSync(CASES, "utf8")
    .trim()
    .split("\n")
    .flatMap((line) => {
      const value: unknown = JSON.parse(line);
      const accept = isRecord(value) ? (strings(value["accept"]) ?? []) : [];
      const answer = judgeLine(value, () => undefined, { policy: () => daily, screen: commandScreen(screen) });
      return accept.includes(answer.verdict) ? [] : [{ line, answer }];
    });
  expect(wrong).toEqual([]);
});
