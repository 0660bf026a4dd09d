import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { signalbox } from "./support/run-signalbox.ts";
import { tempFolder, tempRepository } from "./support/temp-folder.ts";
import { withoutSandbox } from "./support/without-sandbox.ts";

/** The guard would ask about `kill`, so every step is allowed to do what needs approval. */
const ALLOWED = Array.from("abcdefghijkl").flatMap((id) => ["--outside", id]);

/** A step that works only the second time: the first time it kills signalbox before its work, with nothing recorded. */
const step = (id: string, more: string, killed: boolean) => `
  - id: ${id}
    output: v_${id}
    ${more}
    command: |
      ${killed ? `if [ ! -e killed.${id} ]; then touch killed.${id}; kill -9 $PPID; sleep 600; fi` : "true"}
      echo "${id} {{v_a}}" >> log
      echo "value of ${id}"
`;

/** Kills signalbox the first time that a hook runs for a step. */
const killing = (mark: string) =>
  `if [ ! -e "${mark}.$RECIPE_STEP_ID" ]; then touch "${mark}.$RECIPE_STEP_ID"; kill -9 $PPID; sleep 600; fi`;

const recipe = (kill: "never" | "before" | "inside" | "after") => `
name: twelve
hooks:
  pre_step: |
    ${kill === "before" ? killing("before") : "true"}
  post_step: |
    ${kill === "after" ? killing("after") : "true"}
steps:
${[
  ["a", ""],
  ["b", "parallel_group: g"],
  ["c", "parallel_group: g"],
  ["d", "parallel_group: g"],
  ["e", ""],
  ["f", "needs: [e]"],
  ["g", "needs: [e]"],
  ["h", "needs: [f, g]"],
  ["i", ""],
  ["j", "condition: v_i == 'value of i'"],
  ["k", "condition: v_i == 'other'"],
  ["l", ""],
]
  .map(([id = "", more = ""]) => step(id, more === "" ? "mode: x" : more, kill === "inside"))
  .join("")}`;

async function play(text: string) {
  const [cwd, home] = [tempRepository(), withoutSandbox(tempFolder())];
  writeFileSync(join(cwd, "twelve.yaml"), text);
  let outcome = await signalbox(["recipe", "run", "./twelve.yaml", "--json", ...ALLOWED], { cwd, env: { HOME: home } });
  const run = /recipe run ([0-9a-f-]{36})/.exec(outcome.stderr)?.[1] ?? "";
  let kills = 0;
  for (; outcome.code === null; kills++)
    outcome = await signalbox(["recipe", "run", "--resume", run, "--json", ...ALLOWED], { cwd, env: { HOME: home } });
  const log = new Set(readFileSync(join(cwd, "log"), "utf8").trim().split("\n"));
  const journal = readFileSync(join(home, ".signalbox/recipe-runs", run, "journal.jsonl"), "utf8").split("\n");
  return { outcome, kills, log, repeated: repeatedSteps(journal) };
}

/** Steps that were begun again after their end was recorded. */
function repeatedSteps(journal: readonly string[]): readonly string[] {
  const finished = new Set<string>();
  return journal.flatMap((line) => {
    const [, kind, key = ""] = /^\{"t":"(begin|end)","key":"([^"]+)"/.exec(line) ?? [];
    if (kind === "end" && line.includes('"finished":true')) finished.add(key);
    return kind === "begin" && finished.has(key) ? [key] : [];
  });
}

test(
  "kill -9 before, inside and after every step: no finished step is done again, and the context is the same",
  { timeout: 600_000 },
  async () => {
    const whole = await play(recipe("never"));
    expect([whole.outcome.code, whole.kills]).toEqual([0, 0]);
    const { context } = JSON.parse(whole.outcome.stdout);
    for (const kill of ["before", "inside", "after"] as const) {
      const killed = await play(recipe(kill));
      expect(killed.outcome.code, killed.outcome.stderr).toBe(0);
      expect(killed.kills).toBeGreaterThan(7);
      expect(JSON.parse(killed.outcome.stdout).context).toEqual(context);
      expect([killed.log, killed.repeated]).toEqual([whole.log, []]);
    }
  },
);

test("what cannot be resumed says why", { timeout: 120_000 }, async () => {
  const [cwd, home] = [tempRepository(), tempFolder()];
  writeFileSync(join(cwd, "fails.yaml"), "name: fails\nsteps:\n  - { id: a, command: exit 1 }\n");
  const env = { HOME: home };
  const first = await signalbox(["recipe", "run", "./fails.yaml"], { cwd, env });
  const run = /--resume (\S+)/.exec(first.stderr)?.[1] ?? "";
  writeFileSync(join(cwd, "fails.yaml"), "name: fails\nsteps:\n  - { id: a, command: exit 2 }\n");
  const outcomes = await Promise.all(
    [
      ["--resume", run],
      ["--resume", "ffff"],
      ["--resume", run, "-c", "a=b"],
    ].map(async (args) => {
      const { code, stderr } = await signalbox(["recipe", "run", ...args], { cwd, env });
      return [code, stderr.split("\n")[0]];
    }),
  );
  expect(outcomes).toEqual([
    [1, "signalbox: the recipe has changed since this run began, so it cannot be continued"],
    [3, "signalbox: there is no such recipe run"],
    [4, "signalbox: a resumed run keeps its recipe, context and folder"],
  ]);
});

test(
  "a run cannot be continued with a sub-recipe or a parent that has changed meanwhile",
  { timeout: 120_000 },
  async () => {
    const [cwd, home] = [tempRepository(), withoutSandbox(tempFolder())];
    const put = (name: string, text: string) => writeFileSync(join(cwd, `${name}.yaml`), text);
    put("base", "name: base\nsteps:\n  - { id: z, command: echo z }\n");
    put("top", "name: top\nextends: base\nsteps:\n  - { id: s, recipe: sub }\n");
    const sub = (first: string) =>
      `name: sub\nsteps:\n  - { id: a, command: echo ${first} >> log }\n  - { id: b, command: test -e ready }\n`;
    put("sub", sub("one"));
    const env = { HOME: home };
    const first = await signalbox(["recipe", "run", "./top.yaml"], { cwd, env });
    const run = /--resume (\S+)/.exec(first.stderr)?.[1] ?? "";
    const resumed = async () => await signalbox(["recipe", "run", "--resume", run, "--json"], { cwd, env });
    writeFileSync(join(cwd, "ready"), "");
    put("sub", sub("two"));
    const changed = await resumed();
    expect([changed.code, JSON.parse(changed.stdout).step_results.at(-1).error]).toEqual([
      1,
      "the recipe sub has changed since this run began, so it cannot be continued; restore it",
    ]);
    put("sub", sub("one"));
    put("base", "name: base\nsteps:\n  - { id: z, command: echo other }\n");
    expect((await resumed()).stderr).toContain("the recipe has changed since this run began");
    put("base", "name: base\nsteps:\n  - { id: z, command: echo z }\n");
    expect((await resumed()).code).toBe(0);
    expect(readFileSync(join(cwd, "log"), "utf8")).toBe("one\n");
  },
);
