import { expect, test } from "vitest";
import { bash, CHECK, done, played, read, type Script, todo, write } from "./support/played-script.ts";
import { says } from "./support/scripted-session.ts";

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
    words: /the changelog is missing \(the agent-stop gate blocked 2 times/,
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
