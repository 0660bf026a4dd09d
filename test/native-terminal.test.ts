import type { ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ScriptInput } from "../src/models/scripted/script.ts";
import { isAlive } from "./support/is-alive.ts";
import { isOnPath } from "./support/is-on-path.ts";
import { signalbox, SIGNALBOX } from "./support/run-signalbox.ts";
import { pidIn, scene, terminal, WAIT } from "./support/tmux-terminal.ts";

test.runIf(isOnPath("tmux"))("a conversation in a terminal: tasks, a question, an interruption, the end", async () => {
  const here = await scene({
    turns: [
      { text: "I push now.", shell: "git push origin nowhere" },
      { text: "It did not work." },
      { shell: "touch begun; sleep 600" },
      { text: "You stopped me." },
    ],
  });
  const { keys, shows, screen } = terminal(here);
  await shows("/help shows what you can type");
  keys("/help", "Enter");
  await shows("then interrupts the work");
  keys("push it \\", "Enter", "to nowhere", "Enter");
  await shows("Allow this call?");
  keys("y", "Enter");
  await shows("It did not work.");
  expect(here.server.requests[0]?.userTexts).toEqual(["push it \nto nowhere"]);

  keys("wait", "Enter");
  await expect.poll(() => existsSync(join(here.cwd, "begun")), WAIT).toBe(true);
  keys("C-c");
  await shows("[aborted: interrupted]");
  keys("what happened?", "Enter");
  await shows("You stopped me.");
  keys("C-d");
  await shows("signalbox sessions resume");
  await shows("ended 0");
  expect(screen()).toContain("· bash git push origin nowhere");
});

test.runIf(isOnPath("tmux"))(
  "a command that there is not is said and not sent; a path and what is escaped are sent",
  async () => {
    const here = await scene({ turns: [{ text: "One." }, { text: "Two." }, { text: "Three." }] });
    const { keys, shows } = terminal(here);
    await shows("/help shows what you can type");
    keys("/nonsense now", "Enter");
    await shows("unknown command /nonsense");
    for (const [task, answer] of [
      ["/etc/hosts is wrong", "One."],
      ["//nonsense", "Two."],
      [" /nonsense", "Three."],
    ] as const) {
      keys("-l", task);
      keys("Enter");
      await shows(answer);
    }
    const asked = here.server.requests.map(({ userTexts }) => userTexts.at(-1));
    expect(asked).toEqual(["/etc/hosts is wrong", "/nonsense", " /nonsense"]);
  },
);

test.runIf(isOnPath("tmux"))("plan mode and a command from a file, typed at the prompt", async () => {
  const write = { id: "w", name: "write", input: { path: "made.txt", content: "made" } };
  const here = await scene({
    turns: [{ calls: [write] }, { text: "The plan." }, { calls: [write] }, { text: "Carried out." }],
  });
  mkdirSync(join(here.cwd, ".signalbox", "commands"), { recursive: true });
  writeFileSync(join(here.cwd, ".signalbox", "commands", "make.md"), "Make $1 carefully.");
  const { keys, shows } = terminal(here);
  await shows("/help shows what you can type");
  keys("-l", "/mak made.txt");
  keys("Enter");
  await shows("did you mean /make?");
  keys("/approve", "Enter");
  await shows("there is no plan to approve");
  keys("/plan", "Enter");
  await shows("it only reads, until you type /approve");
  keys("-l", "/make made.txt");
  keys("Enter");
  await shows("The plan.");
  expect(existsSync(join(here.cwd, "made.txt"))).toBe(false);
  keys("-l", "/approve but quickly");
  keys("Enter");
  await shows("Carried out.");
  expect(readFileSync(join(here.cwd, "made.txt"), "utf8")).toBe("made");
  const asked = here.server.requests.map(({ userTexts }) => userTexts.find((text) => !text.startsWith("Plan mode is")));
  expect(asked[0]).toBe("Make made.txt carefully.");
  expect(here.server.requests[2]?.userTexts).toContain("The plan is approved: carry it out. but quickly");
});

test.runIf(isOnPath("tmux"))("an export on a terminal cannot steer it", async () => {
  const here = await scene({ turns: [{ text: "red \u001b[31m\u0007 words" }] });
  await signalbox(["native", "-p", "x"], here);
  expect((await signalbox(["sessions", "export", "last"], here)).stdout).toContain("red \u001b[31m\u0007 words");
  const { shows } = terminal(
    here,
    `'${SIGNALBOX}' sessions export last | cat -v; '${SIGNALBOX}' sessions export last; sleep 60`,
  );
  await shows("red ^[[31m^G words");
  await shows("red \\u{1b}[31m\\u{7} words");
});

test.runIf(isOnPath("tmux"))(
  "a question shows the whole command, line by line, and cannot steer the terminal",
  async () => {
    const long = `git push origin main; echo ${"a".repeat(110)}; touch unseen`;
    const here = await scene({
      turns: [
        { shell: long },
        { shell: "git push origin main # harmless\ntouch unseen # \u001b[2J" },
        { text: "Well." },
      ],
    });
    const { keys, shows, screen } = terminal(here);
    await shows("/help shows what you can type");
    keys("push", "Enter");
    await shows("Allow this call?");
    expect(screen().replaceAll("\n", "")).toContain(`? bash ${long}`);
    keys("n", "Enter");
    await shows("[rejected: the person said no]");
    keys("push again", "Enter");
    await shows("# harmless\n  │ touch unseen # \\u{1b}[2J\n");
    keys("n", "Enter");
    await shows("· bash git push origin main # harmless ⏎ touch unseen # \\u{1b}[2J");
    expect(existsSync(join(here.cwd, "unseen"))).toBe(false);
  },
);

test.runIf(isOnPath("tmux"))("a person who says no ends the turn, and can go on", async () => {
  const here = await scene({ turns: [{ shell: "git push origin nowhere" }, { text: "Understood." }] });
  const { keys, shows } = terminal(here);
  await shows("/help shows what you can type");
  keys("push", "Enter");
  await shows("Allow this call?");
  keys("n", "Enter");
  await shows("[rejected: the person said no]");
  keys("then do not", "Enter");
  await shows("Understood.");
  keys("/quit", "Enter");
  await shows("ended 0");
});

/** Runs until it is killed, and says where it is and that it was asked to end. */
const STUBBORN = "trap 'touch asked' TERM; echo $$ > begun; while true; do sleep 0.1; done";

test.each([
  [["SIGINT", "SIGINT"], 130],
  [["SIGQUIT"], 131],
] as const)("%j leave nothing behind, even of a command that does not heed TERM", async (signals, expected) => {
  const { cwd, env } = await scene({ turns: [{ shell: STUBBORN }, { text: "x" }] });
  const during = async (child: ChildProcess) => {
    await expect.poll(() => pidIn(join(cwd, "begun")), WAIT).toBeGreaterThan(0);
    for (const signal of signals) {
      child.kill(signal);
      await expect.poll(() => existsSync(join(cwd, "asked")) || child.exitCode !== null, WAIT).toBe(true);
    }
  };
  const { code } = await signalbox(["native", "-p", "go"], { cwd, env, during });
  expect([code, isAlive(pidIn(join(cwd, "begun")))]).toEqual([expected, false]);
  const shown = await signalbox(["sessions", "show", "last"], { cwd, env });
  expect([shown.code, shown.stdout]).toEqual([0, expect.stringMatching(/state {3}(?:aborted|interrupted)\n/)]);
});

test.runIf(isOnPath("tmux"))("a terminal that is closed takes the running command with it", async () => {
  const here = await scene({ turns: [{ shell: STUBBORN }, { text: "x" }] });
  const run = `sh -c 'echo $$ > own; exec "$0" native --plain' '${SIGNALBOX}'; echo "ended $?"; sleep 60`;
  const { keys, shows } = terminal(here, run);
  await shows("/help shows what you can type");
  keys("go", "Enter");
  await expect.poll(() => pidIn(join(here.cwd, "begun")), WAIT).toBeGreaterThan(0);
  process.kill(pidIn(join(here.cwd, "own")), "SIGHUP");
  await shows("ended 129");
  expect(isAlive(pidIn(join(here.cwd, "begun")))).toBe(false);
});

/** What the model does, further flags, and what shows that the phase has begun: a line of output, or the file `begun`. */
const PHASES: readonly [string, ScriptInput, readonly string[], string?][] = [
  ["the model is silent", { turns: [{ text: "x", failures: [{ hang: true }] }] }, ["--json"], "turn-start"],
  ["the answer streams", { turns: [{ text: "word ".repeat(500), chunk_delay_ms: 500 }] }, ["--json"], "text-delta"],
  [
    "a retry is waited for",
    { turns: [{ text: "x", failures: [{ status: 429, headers: { "retry-after": "500" } }] }] },
    ["--json"],
    "request-failed",
  ],
  ["a command runs", { turns: [{ shell: "touch begun; sleep 600" }] }, []],
  ["the acceptance check runs", { turns: [{ text: "done" }] }, ["--accept", "touch begun; sleep 600"]],
];

test.each(PHASES)(
  "Ctrl-C while %s ends it soon, with 130 and a session that can be resumed",
  async (_, script, flags, sign) => {
    const { cwd, env } = await scene(script);
    const during = async (child: ChildProcess) => {
      let output = "";
      child.stdout?.on("data", (chunk) => (output += String(chunk)));
      const begun = () => (sign === undefined ? existsSync(join(cwd, "begun")) : output.includes(`"type":"${sign}"`));
      await expect.poll(begun, WAIT).toBe(true);
      child.kill("SIGINT");
    };
    const { code } = await signalbox(["native", "-p", "go", ...flags], { cwd, env, during });
    expect(code).toBe(130);
    const shown = await signalbox(["sessions", "show", "last"], { cwd, env });
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining("state   aborted")]);
  },
);

test.runIf(isOnPath("tmux"))("/effort changes how much the model thinks, from the next request on", async () => {
  const here = await scene({ turns: [{ text: "One." }, { text: "Two." }, { text: "Three." }] });
  const { keys, shows } = terminal(here);
  await shows("/help shows what you can type");
  keys("first", "Enter");
  await shows("One.");
  keys("/effort hihg", "Enter");
  await shows('unknown effort "hihg": did you mean high?');
  keys("/effort high", "Enter");
  await shows("effort: high, from the next request on");
  keys("second", "Enter");
  await shows("Two.");
  const efforts = here.server.requests.map(({ body }) => /"reasoning_effort":"(\w+)"/.exec(JSON.stringify(body))?.[1]);
  expect(efforts).toEqual([undefined, "high"]);
});
