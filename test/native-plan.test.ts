import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { configure, notedCalls, SERVER, writePolicy } from "./support/mcp-scene.ts";
import { scene } from "./support/native-scene.ts";
import { resultsIn } from "./support/tool-results.ts";

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
  const results = resultsIn(server.requests[1]?.body);
  for (const id of ["w", "b1", "b3", "b4", "m"]) expect(results[id], id).toContain("Plan mode: nothing is changed");
  expect(results["b2"]).not.toContain("Plan mode");
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

/** Ways to change something that do not look like it, or that a rule of the user's own would allow. */
const CHANGES = [
  "ls > made1; ls &> made2; : >| made3; exec 3> made4",
  "sed -i s/a/b/ a.txt",
  "sed -n 's/a/b/w made5' a.txt",
  `awk 'BEGIN{print 1 > "made6"}'`,
  "sort -o made7 a.txt",
  "uniq a.txt made8",
  "find . -name a.txt -fprint made9",
  "find . -name a.txt -delete",
  "git -c core.pager='touch made10; cat' -p log",
  "git -c alias.x='!touch made11' x",
  "GIT_EXTERNAL_DIFF='touch made12' git diff",
  "git diff --output=made13",
  "git grep -O'touch made14' a",
  "git branch made15",
  "git fetch . main:made16",
  "rg --pre 'touch made17' x",
  "bash -c 'touch made18'",
  "sh <<'E'\ntouch made19\nE",
  "eval touch made20",
  "$(echo touch) made21",
  "echo $(touch made22)",
  "cat <(touch made23)",
  "LESSOPEN='|touch made24' less a.txt",
  "alias ls='touch made25'; ls",
  "PATH=.:$PATH evil",
  "trap 'touch made26' EXIT",
  "ls | while read f; do touch made27; done",
  'python3 -c \'open("made28","w")\'',
  "make",
];

test("in plan mode no way to change something works, and common ways to look do", async () => {
  const looks = [
    "git show HEAD --stat | head -5",
    "for f in *; do wc -l $f; done",
    "ls nothing 2>/dev/null",
    "rg -n a",
  ];
  const task = { description: "d", prompt: "change it", agent_type: "general-purpose" };
  const { run, cwd, server, home } = await scene({
    scenes: [
      { when: { contains: "change it" }, turns: [{ calls: [write, bash("t", "touch made.txt")] }, { text: "No." }] },
      {
        turns: [
          {
            calls: [
              ...CHANGES.map((command, index) => bash(`change${index}`, command)),
              ...looks.map((command, index) => bash(`look${index}`, command)),
              { id: "async", name: "bash", input: { command: "touch made29", mode: "async" } },
              { id: "task", name: "task", input: task },
              { id: "mcp", name: "mcp__small__note", input: {} },
            ],
          },
          { text: "A plan." },
        ],
      },
    ],
  });
  const noted = join(home, "calls.txt");
  writeFileSync(join(cwd, "a.txt"), "a\n");
  writeFileSync(join(cwd, "evil"), "#!/bin/sh\ntouch made30\n", { mode: 0o755 });
  writeFileSync(join(cwd, "Makefile"), "all:\n\ttouch made31\n");
  const git = (...words: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.example", ...words], { cwd, encoding: "utf8" });
  git("add", ".");
  git("commit", "-qm", "first");
  configure(home, { small: { command: process.execPath, args: [SERVER, "plain", noted] } });
  writePolicy(home, 'sandbox: off\ntools: { allow: ["mcp:small/*", "*"] }');
  const state = () => [git("status", "--porcelain"), git("for-each-ref", "--format=%(refname)")];
  const before = state();
  expect((await run(["mcp", "test", "small"])).code).toBe(0);
  expect((await run(["native", "--plan", "-p", "go"])).stdout).toBe("A plan.\n");
  const results = resultsIn(server.requests.at(-1)?.body);
  const isHeld = (id: string) => results[id]?.includes("Plan mode: nothing is changed");
  expect(CHANGES.filter((_, index) => isHeld(`change${index}`) !== true)).toEqual([]);
  expect(looks.filter((_, index) => isHeld(`look${index}`) !== false)).toEqual([]);
  expect(["async", "mcp"].map(isHeld)).toEqual([true, true]);
  expect([state(), notedCalls(noted), results["task"]]).toEqual([before, [], expect.stringContaining("No.")]);
});
