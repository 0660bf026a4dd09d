import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
import { scene } from "./support/native-scene.ts";

const write = { id: "w", name: "write", input: { path: "made.txt", content: "made\n" } };
const bash = (id: string, command: string) => ({ id, name: "bash", input: { command } });

const PLANNING = {
  turns: [
    {
      calls: [
        write,
        bash("b1", "touch made.txt"),
        bash("b2", "git log --oneline -3 && ls"),
        bash("b3", "npm test"),
        bash("b4", "ls > made.txt"),
        { id: "m", name: "store_memory", input: { text: "the build is slow" } },
      ],
    },
    { text: "The plan: write made.txt." },
    { calls: [write] },
    { text: "Written." },
  ],
};

test("plan mode only reads until the plan is approved, across two starts", async () => {
  const { run, cwd, server } = await scene(PLANNING);
  // The user's own rules do not widen it.
  const planned = await run([
    "native",
    "--plan",
    "--preset",
    "default",
    "-p",
    "make it",
    "--accept",
    "test -e made.txt",
  ]);
  expect(planned).toMatchObject({ code: 0, stdout: "The plan: write made.txt.\n" });
  expect(planned.stderr).toContain("to carry it out: signalbox native -c --approve");
  expect(existsSync(join(cwd, "made.txt"))).toBe(false);
  const results = resultsOf(server.requests[1]?.body);
  for (const id of ["w", "b1", "b3", "b4", "m"]) expect(results.get(id), id).toContain("Plan mode: nothing is changed");
  expect(results.get("b2")).not.toContain("Plan mode");
  expect(JSON.stringify(server.requests[0]?.body)).toContain("Plan mode is on");
  const audit = await run(["audit", "show", "--json"]);
  expect(audit.stdout.match(/"code":"plan-mode"/g)).toHaveLength(5);

  const done = await run(["native", "-c", "--approve"]);
  expect(done, done.stderr).toMatchObject({ code: 0, stdout: "Written.\n" });
  expect(readFileSync(join(cwd, "made.txt"), "utf8")).toBe("made\n");
  const approved = JSON.stringify(server.requests[2]?.body);
  expect(approved).toContain("The plan is approved: carry it out.");
  expect(approved).not.toContain("Plan mode is on");
});

test("a session that is resumed without approval still only reads", async () => {
  const { run, cwd } = await scene({
    turns: [{ text: "A plan." }, { calls: [write] }, { text: "I could not." }],
  });
  await run(["native", "--plan", "-p", "make it"]);
  const again = await run(["native", "-c", "-p", "go on"]);
  expect(again.code).toBe(0);
  expect(existsSync(join(cwd, "made.txt"))).toBe(false);
});

test.each([
  [["--approve"], "native -c --approve"],
  [["-c", "--plan", "--approve"], "without --plan"],
])("%j is refused", async (flags, fix) => {
  const { run } = await scene({ turns: [{ text: "unused" }] });
  const refused = await run(["native", ...flags]);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(fix) });
});

test("flags: web tools can be switched off, and an unknown flag is an error", async () => {
  const { run, server } = await scene({ turns: [{ text: "Hello." }, { text: "Hello." }] });
  await run(["native", "-p", "hi"]);
  await run(["native", "-p", "hi"], { env: { SIGNALBOX_FLAGS: "disable-web-tools" } });
  const [offered, without] = server.requests.map(({ body }) => JSON.stringify(body));
  expect(offered).toContain('"name":"fetch"');
  expect(without).not.toContain('"name":"fetch"');
  const wrong = await run(["native", "-p", "hi"], { env: { SIGNALBOX_FLAGS: "autopilt" } });
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("did you mean autopilot?") });
});

const Conversation = z.object({ messages: z.array(z.record(z.string(), z.unknown())) });

/** The texts of the tool results in a chat request, by call. */
function resultsOf(body: unknown): ReadonlyMap<string, string> {
  const { messages } = Conversation.parse(body);
  return new Map(
    messages
      .filter(({ role }) => role === "tool")
      .map((message) => [String(message["tool_call_id"]), String(message["content"])]),
  );
}
