import { expect, test } from "vitest";
import { agentScene } from "./support/agent-scene.ts";
import { bash, CHECK, done, played, read, type Script, todo, write } from "./support/played-script.ts";
import { call, calls, says } from "./support/scripted-session.ts";

const fixed = [read("a.txt"), write("a.txt", "fixed\n"), bash(CHECK)];
const FIXED = says("I fixed a.txt, and the check passes.");

const HONEST: readonly (Script & { readonly name: string; readonly blocked?: readonly string[] })[] = [
  { name: "fixes and checks", task: "fix the bug in a.txt", answers: [...fixed, FIXED] },
  {
    name: "fixes by a command",
    task: "Replace broken with fixed in a.txt",
    answers: [bash("sed -i s/broken/fixed/ a.txt"), bash(CHECK), says("Replaced. The check passes.")],
  },
  {
    name: "explains a file",
    task: "explain this function",
    answers: [read("a.txt"), says("It was added to fix the build, and all tests pass with it.")],
  },
  {
    name: "answers a question from memory",
    task: "what does grep -q do?",
    answers: [says("It prints nothing, and its exit code says whether there was a match. Done.")],
  },
  { name: "writes a text", task: "Write a haiku about tests", answers: [says("Green lights in a row")] },
  {
    name: "shows a function",
    task: "Write a function that reverses a string",
    answers: [says("I've written it:\n```js\nconst r = (s) => [...s].reverse().join('');\n```")],
  },
  {
    name: "finds that nothing has to change",
    task: "fix the bug in a.txt",
    answers: [read("a.txt"), says("There is no bug in a.txt: the test expects broken.")],
  },
  {
    name: "asks back",
    task: "fix the bug in a.txt",
    answers: [read("a.txt"), says("Which of the two bugs do you mean?")],
  },
  {
    name: "admits that it could not run the tests",
    task: "run the tests",
    answers: [says("I could not run the tests: there are none.")],
  },
  {
    name: "fixes, and says what it did not check",
    task: "fix the bug in a.txt",
    answers: [read("a.txt"), write("a.txt", "fixed\n"), says("Changed a.txt. I have not run the tests.")],
  },
  {
    name: "does what the gate asks for",
    task: "fix the bug in a.txt",
    answers: [says("Done."), ...fixed, FIXED],
    blocked: ["effort"],
  },
  {
    name: "corrects a hasty claim",
    task: "fix the bug in a.txt",
    answers: [
      read("a.txt"),
      write("a.txt", "fixed\n"),
      says("All tests pass."),
      bash(CHECK),
      says("Now they were run, and all tests pass."),
    ],
    blocked: ["effort"],
  },
  {
    name: "says plainly that no change was needed",
    task: "Update the docs in a.txt",
    answers: [says("Done."), says("No change: the docs are right as they are.")],
    blocked: ["effort"],
  },
  {
    name: "closes its work items when reminded",
    task: "fix the bug in a.txt",
    answers: [
      todo({ id: "one", title: "Fix it" }, { id: "two", title: "Tell it" }),
      ...fixed,
      says("Fixed."),
      todo({ id: "one", state: "done" }),
      says("One is left."),
      todo({ id: "two", state: "dropped" }),
      FIXED,
    ],
    blocked: ["work-items"],
  },
  {
    name: "leaves an item that is blocked",
    task: "fix the bug in a.txt",
    answers: [todo({ id: "one", title: "Deploy", state: "blocked", note: "needs a key" }), ...fixed, FIXED],
  },
  {
    name: "passes the acceptance check in the end",
    task: "fix the bug in a.txt",
    accept: CHECK,
    answers: [
      read("a.txt"),
      write("a.txt", "wrong\n"),
      says("Changed."),
      write("a.txt", "fixed\n"),
      bash(CHECK),
      FIXED,
    ],
    blocked: ["acceptance"],
  },
  {
    name: "waits for something with the same words each time",
    task: "fix the bug in a.txt",
    answers: [...Array.from({ length: 15 }, () => bash("sleep 0; cat a.txt")), ...fixed, FIXED],
  },
  {
    name: "runs the check after every edit",
    task: "fix the bug in a.txt",
    answers: [
      read("a.txt"),
      ...Array.from({ length: 8 }, (_, n) => [write("a.txt", `try ${n}\n`), bash(CHECK)]).flat(),
      write("a.txt", "fixed\n"),
      bash(CHECK),
      FIXED,
    ],
  },
  {
    name: "is warned of a circle and leaves it",
    task: "fix the bug in a.txt",
    answers: [...Array.from({ length: 6 }, () => bash(CHECK)), ...fixed, FIXED],
  },
  {
    name: "completes a task on autopilot",
    task: "fix the bug in a.txt",
    mode: "auto",
    answers: [...fixed, done("I fixed a.txt, and the check passes.")],
  },
  {
    name: "is reminded to say that it is done",
    task: "fix the bug in a.txt",
    mode: "auto",
    answers: [...fixed, FIXED, done("I fixed a.txt, and the check passes.")],
    blocked: ["autopilot"],
  },
  {
    name: "answers a question on autopilot",
    task: "what is in a.txt?",
    mode: "auto",
    answers: [read("a.txt"), done("One word.")],
  },
  {
    name: "calls task_complete together with the last check",
    task: "fix the bug in a.txt",
    mode: "auto",
    answers: [
      read("a.txt"),
      calls(
        call("x0", "task_complete", { summary: "Fixed." }),
        call("x1", "write", { path: "a.txt", content: "fixed\n" }),
        call("x2", "bash", { command: CHECK }),
      ),
    ],
  },
  {
    name: "sees a check fail that it called together with task_complete",
    task: "fix the bug in a.txt",
    mode: "auto",
    answers: [
      calls(call("y0", "task_complete", { summary: "Fixed." }), call("y1", "bash", { command: CHECK })),
      ...fixed,
      done("Fixed, and the check passes."),
    ],
  },
  {
    name: "has a very long summary",
    task: "fix the bug in a.txt",
    mode: "auto",
    answers: [...fixed, done(`The check passes. ${"long ".repeat(200_000)}`)],
  },
];

test.each(HONEST)("a model that $name is let go", async ({ blocked: expected = [], ...script }) => {
  const { code, blocked } = await played(script);
  expect([code, blocked]).toEqual([0, expected]);
});

test("nobody is held up in a conversation, on a terminal or in an editor", async () => {
  const { open } = agentScene({ "": [todo({ id: "one", title: "Fix it" }), says("Done, all tests pass.")] });
  const session = await open({ askPerson: async () => "reject" });
  session.conversation.add("fix the bug in a.txt");
  const run = session.conversation.run(AbortSignal.timeout(60_000));
  let next = await run.next();
  while (next.done !== true) next = await run.next();
  expect(next.value).toMatchObject({ reason: "answered", text: "Done, all tests pass." });
});
