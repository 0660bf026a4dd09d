import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as z from "zod";
import { parseJson } from "../../lib/json/parse-json.ts";
import { taskKinds } from "./effort-gate.ts";

const Task = z.object({ task: z.string(), kinds: z.array(z.enum(["some-change", "run", "review"])) });

/** Tasks and questions as people type them, with what they ask for; questions ask for nothing that can be counted. */
const TASKS = readFileSync(new URL("../../../test/fixtures/effort/tasks.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => Task.parse(parseJson(line)));

for (const { task, kinds } of TASKS) {
  test(`${JSON.stringify(task)} asks for ${kinds.join() || "nothing that can be counted"}`, () => {
    const found = taskKinds(task);
    if (kinds.length === 0)
      expect([found.has("change"), found.has("run"), found.has("review")]).toEqual([false, false, false]);
    else if (kinds.includes("some-change")) expect(found.has("run") || found.has("review")).toBe(false);
    else expect([...found]).toEqual(kinds);
  });
}

test("most changes are recognised, and few questions may be one", () => {
  const changes = TASKS.filter(({ kinds }) => kinds.includes("some-change"));
  const questions = TASKS.filter(({ kinds }) => kinds.length === 0);
  const missed = changes.flatMap(({ task }) => (taskKinds(task).size === 0 ? [task] : []));
  const doubtful = questions.filter(({ task }) => taskKinds(task).has("maybe-change"));
  process.stdout.write(
    `${changes.length} changes, ${missed.length} not recognised: ${missed.join(" | ")}\n${questions.length} questions, ${doubtful.length} that may be a change: ${doubtful.map(({ task }) => task).join(" | ")}\n`,
  );
  expect(missed.length / changes.length).toBeLessThan(0.1);
});

test("a megabyte of anything is read in no time", () => {
  const started = performance.now();
  for (const text of ["fix ".repeat(250_000), "a, ".repeat(300_000), "`".repeat(1_000_000), "<stdin>".repeat(100_000)])
    taskKinds(text);
  expect(performance.now() - started).toBeLessThan(1_000);
});
