import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isRecord, strings } from "../lib/json/json-value.ts";
import { judgeLine, namedPolicies } from "./judge-line.ts";

const fixtures = join(import.meta.dirname, "../../test/fixtures/guard");
const named = namedPolicies(JSON.parse(readFileSync(join(fixtures, "policies.json"), "utf8")));

test.each(["shell-cases.jsonl", "path-net-cases.jsonl", "own-cases.jsonl"])(
  "every case of %s gets a verdict that its label accepts",
  (file) => {
    const wrong = readFileSync(join(fixtures, file), "utf8")
      .trim()
      .split("\n")
      .flatMap((line) => {
        const value: unknown = JSON.parse(line);
        const accept = isRecord(value) ? (strings(value["accept"]) ?? []) : [];
        const answer = judgeLine(value, named);
        return accept.includes(answer.verdict) ? [] : [{ line, answer }];
      });
    expect(wrong).toEqual([]);
  },
);

test("a line without a known policy, or without a tool, is denied", () => {
  expect(judgeLine({ id: 1, policy: { ref: "nobody" }, tool: "Bash", input: { command: "ls" } }, named).verdict).toBe(
    "deny",
  );
  expect(judgeLine({ id: 1, policy: { ref: "dev-default" }, input: { command: "ls" } }, named).verdict).toBe("deny");
  expect(judgeLine("text", named).verdict).toBe("deny");
  expect(judgeLine({ policy: { allow: "ls" }, tool: "Bash", input: { command: "ls" } }, named).verdict).toBe("deny");
});
