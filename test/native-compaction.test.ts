import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ScriptInput } from "../src/models/scripted/script.ts";
import { logsIn, scene, until } from "./support/native-scene.ts";
import { signalbox } from "./support/run-signalbox.ts";

const SUMMARY = "Counting numbers\nNumbers were counted.\nDecision: count on.";

/** Commands with long output, answers once the conversation was shortened, and a summary that takes so long. */
const counting = (summaryMs: number, lastMs = 0): ScriptInput => ({
  scenes: [
    { when: { contains: "[user]\n" }, turns: [{ text: SUMMARY, delay_ms: summaryMs }] },
    { when: { contains: "was shortened to fit" }, turns: [{ text: "unused" }], after: { text: "All done." } },
    {
      turns: [
        ...Array.from({ length: 5 }, () => ({ shell: "seq 1000 3000" })),
        { text: "Not shortened.", delay_ms: lastMs },
      ],
      after: { text: "Not shortened." },
    },
  ],
});

/** A scene in which the conversation is shortened from a twentieth of the window on. */
async function shortening(script: ScriptInput) {
  const made = await scene(script);
  mkdirSync(join(made.home, ".signalbox"), { recursive: true });
  writeFileSync(join(made.home, ".signalbox", "settings.yaml"), "engine:\n  compact_at: 0.05\n");
  const log = () => readFileSync(join(made.sessions, logsIn(made.sessions)[0] ?? ""), "utf8");
  return { ...made, log };
}

const PROMPT = "Count far, and never use bc.";

test("a long conversation is shortened by itself, the task goes on, and what was left out can be shown", async () => {
  const { run, server, log } = await shortening(counting(0));
  const { code, stdout, stderr } = await run(["native", "-p", PROMPT]);
  expect([code, stdout]).toEqual([0, "All done.\n"]);
  expect(stderr).toMatch(/a summary is being written while it works on/);
  expect(stderr).toMatch(/the conversation was shortened from [\d,]+ to [\d,]+ tokens/);
  const last = JSON.stringify(server.requests.at(-1)?.body);
  expect(last).toContain("never use bc");
  expect(last).toContain("Decisions that hold:\\n- count on.");
  expect(log()).toContain('"agent":"compaction"');
  const dropped = await run(["sessions", "dropped", "last"]);
  expect([dropped.code, dropped.stdout]).toEqual([0, expect.stringContaining("left out (compaction)")]);
  expect(dropped.stdout).toContain("1000");
  // The next task goes on from the shorter conversation.
  const next = await run(["native", "-c", "-p", "And now?"]);
  expect([next.code, next.stdout]).toEqual([0, "All done.\n"]);
});

test("what is known about work items is in the shortened conversation and in every request", async () => {
  const items = [
    { id: "read", title: "read it", state: "done", artifacts: ["notes.md"] },
    { id: "parse", title: "port the parser", state: "blocked", note: "half of it", artifacts: ["src/p.ts"] },
    { id: "ship", title: "ship it", state: "blocked", depends_on: ["read", "parse"] },
  ];
  const script = counting(0);
  const [summary, shortened, work] = script.scenes ?? [];
  if (summary === undefined || shortened === undefined || work === undefined) throw new Error("three scenes");
  const notes = [
    { name: "todo", input: { items } },
    { name: "bash", input: { command: "sleep 600", mode: "async" } },
  ];
  const begun = { ...work, turns: [{ calls: notes }, ...work.turns] };
  const { run, server } = await shortening({ scenes: [summary, shortened, begun] });
  expect((await run(["native", "-p", PROMPT])).code).toBe(0);
  const last = JSON.stringify(server.requests.at(-1)?.body);
  expect(last).toContain(
    "Open work items:\\n- parse: port the parser – half of it {src/p.ts} (blocked)\\n- ship: ship it (after read, parse) (blocked)",
  );
  expect(last).toContain("Commands that you started in the background, for read_bash and stop_bash: c1");
  expect(last).toContain("Closed work items with artifacts:\\n- read: read it {notes.md} (done)");
  expect(last).toContain(
    "<state>\\nOpen work items (2): parse: port the parser {src/p.ts}; ship: ship it (after parse)\\n",
  );
});

test("a sub-agent whose conversation is shortened keeps its own work items", async () => {
  const [summary] = counting(0).scenes ?? [];
  if (summary === undefined) throw new Error("no scene");
  const items = [{ id: "count", title: "count far", state: "in_progress", artifacts: ["n.txt"] }];
  const { run, server } = await shortening({
    scenes: [
      summary,
      { when: { contains: "was shortened to fit" }, turns: [{ text: "unused" }], after: { text: "Counted." } },
      {
        when: { contains: "Count for me" },
        turns: [
          { calls: [{ name: "todo", input: { items } }] },
          ...Array.from({ length: 5 }, () => ({ shell: "seq 1000 3000" })),
          { text: "Not shortened." },
        ],
      },
      {
        turns: [
          {
            calls: [
              {
                name: "task",
                input: { description: "count", prompt: "Count for me", agent_type: "general-purpose" },
              },
            ],
          },
          { text: "All done." },
        ],
      },
    ],
  });
  expect((await run(["native", "-p", "Delegate it."])).stdout).toBe("All done.\n");
  const bodies = server.requests.map(({ body }) => JSON.stringify(body));
  const short = bodies.find((body) => body.includes("was shortened to fit") && body.includes("<state>")) ?? "";
  expect(short).toContain("Open work items:\\n- count: count far {n.txt} (in_progress)");
  expect(short).toContain("<state>\\nOpen work items (1): count: count far {n.txt}\\n");
});

test.each([
  { name: "a claim that nothing was done for", first: { shell: "ls" }, code: 9, says: "and nothing was changed" },
  { name: "a change that is only in the log", first: { shell: "echo fixed > a.txt" }, code: 0, says: "was shortened" },
])("the effort gate sees what the model no longer does: $name", async ({ first, code, says }) => {
  const script = counting(0);
  const [summary, shortened, work] = script.scenes ?? [];
  if (summary === undefined || shortened === undefined || work === undefined) throw new Error("three scenes");
  const scenes = [
    summary,
    { ...shortened, after: { text: "I fixed the bug." } },
    { ...work, turns: [first, ...work.turns] },
  ];
  const { run, log } = await shortening({ scenes });
  const outcome = await run(["native", "-p", "Fix the bug in a.txt."]);
  expect(outcome.stderr).toContain(says);
  expect([outcome.code, log().includes('"because":"compaction"')]).toEqual([code, true]);
});

test("a request that was too long is said to have failed before the conversation is shortened for it", async () => {
  const because = "This model's maximum context length is 16000 tokens. However, your messages have 26973 tokens.";
  const refused = { status: 400, body: { error: { message: because, code: "context_length_exceeded" } } };
  const { run } = await scene({
    scenes: [
      { when: { contains: "[user]\n" }, turns: [{ text: SUMMARY }] },
      { when: { contains: "was shortened to fit" }, turns: [{ text: "unused" }], after: { text: "All done." } },
      {
        turns: [
          ...Array.from({ length: 3 }, () => ({ shell: "seq 1000 3000" })),
          { text: "Not shortened.", failures: [refused] },
        ],
      },
    ],
  });
  const { code, stdout, stderr } = await run(["native", "-p", PROMPT]);
  expect([code, stdout]).toEqual([0, "All done.\n"]);
  expect(stderr).not.toContain("retrying in 0.0 s");
  expect(stderr).toMatch(
    /the model failed \(HTTP 400.*\)\n.*the provider takes no more; waiting for a summary\n.*was shortened from/,
  );
});

test("a summary that is still being written does not hold up the end of a task", async () => {
  const { run, log } = await shortening(counting(300_000));
  const { code, stdout } = await run(["native", "-p", PROMPT]);
  expect([code, stdout]).toEqual([0, "Not shortened.\n"]);
  expect(log()).not.toContain('"type":"history"');
});

test("killed while a summary is being written, a session goes on with everything it had", async () => {
  const { cwd, home, server, sessions, log } = await shortening(counting(300_000, 300_000));
  const env = { HOME: home, SIGNALBOX_MODEL: "compatible/m", SIGNALBOX_BASE_URL: `${server.url}/v1` };
  await signalbox(["native", "-p", PROMPT], {
    cwd,
    env,
    async during(child) {
      // The summary and the last answer are both being waited for.
      await until(() => server.requests.length >= 7);
      child.kill("SIGKILL");
    },
  });
  const before = log();
  expect(before.match(/"type":"call-end"/g)).toHaveLength(5);

  const next = await shortening(counting(0));
  const again = await signalbox(["sessions", "resume", "last", "--base-url", `${next.server.url}/v1`], { cwd, env });
  expect([again.code, again.stdout]).toEqual([0, "Not shortened.\n"]);
  const agent = next.server.requests
    .map(({ body }) => JSON.stringify(body))
    .find((body) => !body.includes("You write the summary"));
  expect(agent?.match(/1000\\n1001\\n/g)).toHaveLength(5);
  expect(log().startsWith(before)).toBe(true);
  expect(logsIn(sessions)).toHaveLength(1);
});
