import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ScriptInput } from "../src/models/scripted/script.ts";
import { logsIn, scene, until } from "./support/native-scene.ts";

/** Looks at the same numbers for ever. After two such looks the conversation is shortened. */
const circle = (delay_ms: number): ScriptInput => ({
  scenes: [
    { when: { contains: "[user]\n" }, turns: [{ text: "Numbers\nNumbers were looked at." }] },
    { turns: [{ shell: "seq 1000 5000" }], after: { shell: "seq 1000 5000", delay_ms } },
  ],
});

async function circling(delayMs = 0) {
  const made = await scene(circle(delayMs));
  mkdirSync(join(made.home, ".signalbox"), { recursive: true });
  writeFileSync(join(made.home, ".signalbox", "settings.yaml"), "engine:\n  compact_at: 0.15\n  turns: 40\n");
  const count = (mark: string) =>
    readFileSync(join(made.sessions, logsIn(made.sessions)[0] ?? ""), "utf8").split(mark).length - 1;
  return { ...made, count };
}

test("a circle is noticed and ended although the conversation is shortened within it", async () => {
  const { run, count } = await circling();
  const { code, stderr } = await run(["native", "-p", "Look."]);
  expect(stderr).toContain("no progress: the same call had the same result 5 times in a row; the model was told");
  expect([code, stderr.trimEnd().split("\n").at(-1)]).toEqual([
    6,
    "signalbox: no progress: the same call had the same result 11 times in a row, and nothing changed, although it was told so",
  ]);
  expect(count('"because":"compaction"')).toBeGreaterThan(2);
});

test("the same holds for a session that was killed in its circle and resumed", async () => {
  const { run, count, server } = await circling(200);
  await run(["native", "-p", "Look."], {
    async during(child) {
      await until(() => server.requests.length > 4 && count("You are going in circles") === 1 && count("call-end") > 6);
      child.kill("SIGKILL");
    },
  });
  const before = count("call-end");
  expect(count('"because":"compaction"')).toBeGreaterThan(1);
  const { code } = await run(["sessions", "resume", "last"]);
  // Nothing was told twice, and the tree had to be looked at once more.
  expect([code, count("You are going in circles")]).toEqual([6, 1]);
  expect(before).toBeLessThan(11);
  expect(count("call-end")).toBeLessThanOrEqual(13);
});
