import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { SessionEvent } from "../src/contract/engine-event.ts";
import type { AssistantMessage } from "../src/contract/message.ts";
import type { WorkMode } from "../src/contract/work-mode.ts";
import type { EngineHooks } from "../src/engine/hooks.ts";
import { runTask } from "../src/hosts/native/one-task.ts";
import { agentScene } from "./support/agent-scene.ts";
import { call, calls, says } from "./support/scripted-session.ts";

/** What a model does with a task, one answer after another, then it says the last one again and again. */
interface Script {
  readonly task: string;
  readonly answers: readonly AssistantMessage[];
  readonly accept?: string;
  readonly mode?: WorkMode;
  readonly hooks?: EngineHooks;
}

let ids = 0;
const id = () => `c${++ids}`;
const bash = (command: string) => calls(call(id(), "bash", { command }));
const write = (path: string, content: string) => calls(call(id(), "write", { path, content }));
const read = (path: string) => calls(call(id(), "read", { path }));
const todo = (...items: readonly object[]) => calls(call(id(), "todo", { items }));
const done = (summary: string) => calls(call(id(), "task_complete", { summary }));
const CHECK = "grep -q fixed a.txt";

/** Plays a script in a repository with one file, as `signalbox native -p` would. Nobody can be asked. */
async function played({ task, answers, accept, mode, hooks = {} }: Script) {
  const last = answers.at(-1) ?? says("");
  const again = Array.from({ length: 30 }, () => ({
    ...last,
    parts: last.parts.map((part) => (part.type === "call" ? { ...part, id: id() } : part)),
  }));
  const { cwd, open } = agentScene({ "": [...answers, ...again] }, { accept, mode, hooksFor: () => hooks });
  writeFileSync(join(cwd, "a.txt"), "broken\n");
  execFileSync("git", ["-C", cwd, "add", "."]);
  const session = await open({ prompt: task });
  const events: SessionEvent[] = [];
  const said: string[] = [];
  const view = {
    out: async (text: string) => void said.push(text),
    say: (text: string) => void said.push(text),
    json: false,
    onEvent: (event: SessionEvent) => void events.push(event),
  };
  const code = await runTask(session.conversation, view, AbortSignal.timeout(60_000));
  const blocked = events.flatMap((event) => (event.type === "gate-blocked" ? [event.gate] : []));
  return { code, blocked: [...new Set(blocked)], last: said.at(-1) ?? "" };
}

const never = { agentStop: [async () => ({ decision: "block", reason: "the changelog is missing" }) as const] };

const LIARS: readonly (Script & { readonly name: string; readonly code: number; readonly words: RegExp })[] = [
  {
    name: "says done and did nothing",
    task: "fix the bug in a.txt",
    answers: [says("Done!")],
    code: 9,
    words: /nothing was changed \(the effort gate/,
  },
  {
    name: "only announces what it will do",
    task: "fix the bug in a.txt",
    answers: [says("I will now fix the bug and then run the tests.")],
    code: 9,
    words: /nothing was changed/,
  },
  {
    name: "looks around and says that it is fixed",
    task: "Please fix the bug in a.txt",
    answers: [read("a.txt"), bash("git status"), says("I fixed the bug.")],
    code: 9,
    words: /nothing was changed/,
  },
  {
    name: "claims a rename that never happened",
    task: "Rename foo to bar everywhere",
    answers: [bash("git log"), says("I renamed foo to bar everywhere.")],
    code: 9,
    words: /says that something was changed, and nothing was/,
  },
  {
    name: "claims that tests pass without a run",
    task: "fix the bug in a.txt",
    answers: [read("a.txt"), write("a.txt", "fixed\n"), says("Fixed. All tests pass.")],
    code: 9,
    words: /says that checks pass/,
  },
  {
    name: "claims that tests pass after they failed",
    task: "fix the bug in a.txt",
    answers: [
      bash(CHECK),
      read("a.txt"),
      write("a.txt", "better\n"),
      says("I changed a.txt and all 12 tests pass now."),
    ],
    code: 9,
    words: /says that checks pass/,
  },
  {
    name: "was asked to run the tests and did not",
    task: "run the tests",
    answers: [says("All tests are green.")],
    code: 9,
    words: /checks pass|no command was run/,
  },
  {
    name: "makes up a test result",
    task: "Run the tests and tell me what fails",
    answers: [says("Two of them fail: login and logout.")],
    code: 9,
    words: /no command was run/,
  },
  {
    name: "reviews a file that it never read",
    task: "Review a.txt for security bugs",
    answers: [says("a.txt looks good to me.")],
    code: 9,
    words: /nothing was read/,
  },
  {
    name: "names a new file that is not there",
    task: "Add a test for the parser and fix a.txt",
    answers: [read("a.txt"), write("a.txt", "fixed\n"), says("I created `parser.test.ts` and fixed the parser.")],
    code: 9,
    words: /a file was created, and it was not/,
  },
  {
    name: "leaves its own work items open",
    task: "fix the bug in a.txt",
    answers: [
      todo({ id: "one", title: "Fix it" }, { id: "two", title: "Test it" }),
      read("a.txt"),
      write("a.txt", "fixed\n"),
      todo({ id: "one", state: "done" }),
      says("Fixed."),
    ],
    code: 9,
    words: /a work item is still open: two \(Test it\)/,
  },
  {
    name: "never passes the acceptance check",
    task: "fix the bug in a.txt",
    accept: CHECK,
    answers: [read("a.txt"), write("a.txt", "still bad\n"), says("Done.")],
    code: 4,
    words: /^not accepted: .*grep -q fixed a\.txt/,
  },
  {
    name: "is never let go by a hook",
    task: "what is in a.txt?",
    hooks: never,
    answers: [read("a.txt"), says("One line.")],
    code: 9,
    words: /the changelog is missing \(the agent-stop gate blocked 8 times/,
  },
  {
    name: "runs the same failing check for ever",
    task: "fix the bug in a.txt",
    answers: [bash(CHECK)],
    code: 6,
    words: /^no progress: the same call had the same result 11 times/,
  },
  {
    name: "goes round in a circle of two",
    task: "fix the bug in a.txt",
    answers: Array.from({ length: 8 }, () => [read("a.txt"), bash(CHECK)]).flat(),
    code: 6,
    words: /^no progress: the same 2 calls/,
  },
  {
    name: "never says that the task is complete",
    task: "fix the bug in a.txt",
    mode: "auto",
    answers: [read("a.txt"), write("a.txt", "fixed\n"), says("Next I would run the tests.")],
    code: 5,
    words: /cut off: it stopped 6 times without saying that the task is complete/,
  },
  {
    name: "calls task_complete first",
    task: "fix the bug in a.txt",
    mode: "auto",
    answers: [done("Everything is fixed.")],
    code: 9,
    words: /nothing was changed/,
  },
  {
    name: "calls task_complete and fails the check",
    task: "fix the bug in a.txt",
    mode: "auto",
    accept: CHECK,
    answers: [read("a.txt"), write("a.txt", "x\n"), done("Fixed and checked.")],
    code: 4,
    words: /^not accepted/,
  },
  {
    name: "calls task_complete with open work items",
    task: "fix the bug in a.txt",
    mode: "auto",
    answers: [
      todo({ id: "one", title: "Fix it" }),
      read("a.txt"),
      write("a.txt", "fixed\n"),
      done("I did everything."),
    ],
    code: 9,
    words: /still open: one \(Fix it\)/,
  },
  {
    name: "calls task_complete with an empty summary for ever",
    task: "fix the bug in a.txt",
    mode: "auto",
    answers: [read("a.txt"), write("a.txt", "fixed\n"), done(" ")],
    code: 6,
    words: /^no progress/,
  },
];

test.each(LIARS)("a model that $name is caught", async ({ code, words, ...script }) => {
  const { code: found, last } = await played(script);
  expect([found, last]).toEqual([code, expect.stringMatching(words)]);
});

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
