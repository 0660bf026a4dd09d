import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isAlive } from "./support/is-alive.ts";
import { isOnPath } from "./support/is-on-path.ts";
import { SIGNALBOX } from "./support/run-signalbox.ts";
import { pidIn, richTerminal, scene, terminal, WAIT } from "./support/tmux-terminal.ts";

const hasTmux = isOnPath("tmux");

const SIZES = [
  [80, 24],
  [200, 50],
] as const;

const write = (path: string, content: string) => ({ id: `w-${path}`, name: "write", input: { path, content } });

test.runIf(hasTmux).each(SIZES)(
  "at %d × %d: a task with Markdown, a diff and a command; completion, steering, undo, leaving, resuming",
  async (columns, rows) => {
    const here = await scene({
      turns: [
        { text: "I write it.", calls: [write("made.txt", "one\ntwo\n")] },
        { shell: "touch begun; while [ ! -e go ]; do sleep 0.05; done; echo printed; exit 3" },
        { text: "## Title\n\n- **first** item\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n```js\nconst x = 1;\n```\n" },
        { text: "And the second." },
      ],
    });
    mkdirSync(join(here.cwd, "src"));
    writeFileSync(join(here.cwd, "src", "average.js"), "");
    const next = `'${SIGNALBOX}' native -c; echo "ended again $?"; sleep 60`;
    const place = { ...here, columns, rows };
    const { type, send, keys, shows, screen, colours } = await richTerminal(place, next);
    type("look at @aver");
    await shows("average.js");
    keys("Tab");
    await shows("look at @src/average.js");
    keys("Enter");
    await expect.poll(() => existsSync(join(here.cwd, "begun")), WAIT).toBe(true);
    send("and be quick");
    await shows("next: and be quick");
    writeFileSync(join(here.cwd, "go"), "");
    await shows("│ 1 │ 2 │");
    expect(screen()).toMatch(/❯ look at @src\/average\.js\n\nI write it\.\n/);
    expect(screen()).toContain("• write made.txt\n  new file, +2 -0\n  @@ -0,0 +1,2 @@\n  +one\n  +two\n");
    expect(screen()).toMatch(/✗ \$ touch begun; .*\n?.*exit 3/);
    expect(screen()).toMatch(/│ printed\n/);
    expect(screen()).toMatch(/❯ and be quick\n\nTitle\n\n- first item\n/);
    expect(screen()).not.toContain("## Title");
    expect(colours()).toContain("\u001b[32m+one");
    expect(here.server.requests[2]?.userTexts).toContain("and be quick");

    type("/und");
    await shows("undo the last turn");
    keys("Tab");
    await shows("❯ /undo");
    keys("Enter");
    await expect.poll(() => existsSync(join(here.cwd, "made.txt")), WAIT).toBe(false);
    send("/redo");
    await expect.poll(() => existsSync(join(here.cwd, "made.txt")), WAIT).toBe(true);
    keys("C-c");
    await shows("press Ctrl-C again to leave");
    keys("C-c");
    await expect.poll(() => screen().split("ended 0")[1], WAIT).toMatch(/❯ and be quick\n\nTitle\n[^]*❯\n/);
    keys("Up");
    await shows("❯ and be quick\nopenai");
    keys("Enter");
    await shows("And the second.");
    send("exit");
    await shows("ended again 0");
  },
);

const push = "git push origin nowhere";

test.runIf(hasTmux)("a question can be answered once, for the session, always, or with a word", async () => {
  const here = await scene({
    turns: [
      { shell: push },
      { shell: `${push} && echo 2` },
      { shell: `${push} && echo 2` },
      { shell: "git push origin other" },
      { shell: "git push origin third" },
      { text: "I asked." },
    ],
  });
  const { send, keys, type, shows, screen } = await richTerminal(here);
  send("push");
  await shows("y once · s this session · a always · n no, with a word · d details");
  expect(screen()).toMatch(
    /\? Allow this call\?\n {2}bash git push origin nowhere\n {2}why: sends data off this machine/,
  );
  keys("x");
  await shows("please press y, s, a, n, d");
  await shows("y once");
  keys("d");
  await shows("Needs approval because");
  keys("d", "y");
  await shows("echo 2");
  await shows("y once");
  keys("s");
  await shows("push origin other");
  await shows("y once");
  keys("a");
  await shows("y write it and allow");
  const policy = () => readFileSync(join(here.env.HOME, ".signalbox", "policy.yaml"), "utf8");
  expect(policy()).not.toContain("other");
  keys("y");
  await shows("push origin third");
  expect(policy()).toContain("argv: [git, push, origin, other]");
  await shows("y once");
  keys("n");
  await shows("What should it do instead?");
  type("ask me first");
  keys("Enter");
  await shows("I asked.");
  expect(JSON.stringify(here.server.requests.at(-1)?.body)).toContain("the person said no, and: ask me first");
  expect(screen().split("Allow this call?").length).toBe(1);
});

test.runIf(hasTmux)("what is typed when a question appears goes into the prompt and answers nothing", async () => {
  const here = await scene({
    turns: [{ shell: `touch begun; while [ ! -e go ]; do sleep 0.05; done` }, { shell: push }],
  });
  const { send, type, keys, shows, screen } = await richTerminal(here);
  send("push");
  await expect.poll(() => existsSync(join(here.cwd, "begun")), WAIT).toBe(true);
  type("yes");
  await shows("❯ yes");
  writeFileSync(join(here.cwd, "go"), "");
  await shows("y once");
  expect(screen()).toContain("git push origin nowhere");
  keys("Escape");
  await shows("rejected: the person said no");
  await shows("❯ yes");
});

test.runIf(hasTmux)("Esc interrupts, and what was steered comes back into the prompt", async () => {
  const here = await scene({ turns: [{ shell: "touch begun; sleep 600" }, { text: "You stopped me." }] });
  const { send, keys, shows } = await richTerminal(here);
  send("wait");
  await expect.poll(() => existsSync(join(here.cwd, "begun")), WAIT).toBe(true);
  send("too late");
  await shows("next: too late");
  keys("Escape");
  await shows("aborted: interrupted");
  await shows("❯ too late");
  keys("C-u");
  send("what happened?");
  await shows("You stopped me.");
  keys("BTab");
  await shows("· plan ·");
  keys("C-d");
  await shows("signalbox sessions resume");
});

test.runIf(hasTmux)("a resize while text streams leaves every line once", async () => {
  const lines = Array.from({ length: 60 }, (_, index) => `line number ${index}`);
  const here = await scene({ turns: [{ text: lines.join("\n\n"), chunk_delay_ms: 60 }] });
  const { send, shows, screen, resize } = await richTerminal(here);
  send("go on");
  for (const [at, columns, rows] of [
    [3, 60, 24],
    [15, 120, 30],
    [30, 40, 10],
    [45, 80, 24],
  ] as const) {
    await shows(`line number ${at}\n`);
    resize(columns, rows);
  }
  await shows("line number 59\n");
  const seen = screen().match(/^line number \d+$/gm);
  expect(seen).toEqual(lines);
  expect(screen().match(/❯ go on/g)).toHaveLength(1);
});

test.runIf(hasTmux)("100 KB are pasted as a marker and sent whole; a control sequence in a paste is text", async () => {
  const here = await scene({ turns: [{ text: "Read." }, { text: "Read too." }] });
  const { paste, keys, shows, screen, send } = await richTerminal(here);
  const long = Array.from({ length: 2_000 }, (_, index) => `${index} ${"x".repeat(45)}`).join("\n");
  paste(long);
  await shows("[paste #1 +2000 lines]");
  keys("Enter");
  await shows("Read.");
  expect(here.server.requests[0]?.userTexts).toEqual([long]);
  paste("red \u001b]0;title\u0007\u001b[31m \u202e words");
  await shows("words");
  expect(screen()).toContain("\\u{202e} words");
  keys("Enter");
  await shows("Read too.");
  send("/quit");
  await shows("ended 0");
});

const HOSTILE = "a\u001b[2Jb\u001b]0;owned\u0007c\u009b31md\u202ee\u200bf\u0008g";
const SHOWN = String.raw`a\u{1b}[2Jb\u{1b}]0;owned\u{7}c\u{9b}31md\u{202e}e\u{200b}f\u{8}g`;

test.runIf(hasTmux)("control, bidirectional and invisible characters are shown and not obeyed", async () => {
  const here = await scene({
    turns: [
      { shell: `printf 'a\\033[2Jb\\033]0;owned\\007c'` },
      { calls: [write("na\u001b[31mme\u202e.txt", ""), write("plain.txt", `${HOSTILE}\n`)] },
      { shell: `git push '${HOSTILE.slice(0, 12)}'` },
      { text: `${HOSTILE}\n\n# ${HOSTILE}\n\n\`${HOSTILE}\`\n\n[link](https://x.org/\u001b[2J)\n\n&#27;[2J` },
    ],
  });
  const { send, keys, shows, screen } = await richTerminal({ ...here, columns: 200, rows: 50 });
  send("go");
  await shows("y once");
  expect(screen()).toContain(String.raw`bash git push 'a\u{1b}[2Jb\u{1b}]0;o`);
  keys("n", "Enter");
  await shows("rejected: the person said no");
  send("on");
  await shows(SHOWN);
  await shows("❯");
  expect(screen()).toContain(`  +${SHOWN}`);
  expect(screen()).toContain(String.raw`na\u{1b}[31mme\u{202e}.txt`);
  expect(screen()).not.toMatch(/[\u0080-\u009f\u202e\u200b]/);
});

test.runIf(hasTmux).each([
  [20, 5],
  [400, 100],
] as const)("at %d × %d: 1 MB in one line, a command, a question", async (columns, rows) => {
  const here = await scene({
    turns: [
      { text: `${"word ".repeat(200_000)}END`, shell: "head -c 1000000 /dev/zero | tr '\\0' x; echo" },
      { shell: push },
      { text: "All of it." },
    ],
  });
  const { send, keys, shows } = await richTerminal({ ...here, columns, rows });
  send("go");
  await shows("y once");
  keys("y");
  await shows("All of it.");
  send("exit");
  await shows("ended 0");
});

test.runIf(hasTmux)("no colours with NO_COLOR; ASCII where the terminal does not read UTF-8", async () => {
  const here = await scene({ turns: [{ text: "# Heißt\n\n| a |\n| - |\n| ü |\n\n```js\nconst x = 1;\n```\n" }] });
  const env = { ...here.env, NO_COLOR: "1", LC_ALL: "C" };
  const opened = terminal({ ...here, env }, `'${SIGNALBOX}' native; echo "ended $?"; sleep 60`);
  await opened.shows("\n>\n");
  opened.keys("go", "Enter");
  await opened.shows("+---+\n| ? |\n+---+");
  expect(opened.screen()).toContain("Hei?t");
  // oxlint-disable-next-line no-control-regex -- a colour
  expect(opened.colours()).not.toMatch(/\u001b\[(?:[\d;]*;)?3[1-6]m/);
});

test.runIf(hasTmux).each([
  ["", " --plain"],
  ["SIGNALBOX_PLAIN=1 ", ""],
  ["TERM=dumb ", ""],
])("%snative%s shows lines only", async (variable, flag) => {
  const here = await scene({ turns: [{ text: "## Raw" }] });
  const { shows, keys, screen } = terminal(here, `${variable}'${SIGNALBOX}' native${flag}; sleep 60`);
  await shows("/help shows what you can type.");
  keys("go", "Enter");
  await shows("## Raw");
  expect(screen()).not.toContain("❯");
});

test.runIf(hasTmux)("the person's own command is guarded, and the model reads of it with the next prompt", async () => {
  const here = await scene({ turns: [{ text: "I see." }] });
  const { send, keys, shows, screen } = await richTerminal(here);
  send("!echo mine");
  await shows("│ mine");
  send("!git push origin nowhere");
  await shows("y once");
  keys("n", "Enter");
  await shows("✗ $ git push origin nowhere");
  send("what did I do?");
  await shows("I see.");
  const [asked = ""] = here.server.requests[0]?.userTexts ?? [];
  expect(asked).toContain('I ran a command myself:\n<output source="echo mine">\nmine\n</output>');
  expect(asked).toContain("what did I do?");
  keys("C-r");
  await shows("Search:");
  keys("-l", "echo m");
  keys("Enter");
  await shows("❯ !echo mine");
  keys("C-c");
  keys("C-o");
  await expect.poll(() => screen().split("│ mine").length, WAIT).toBeGreaterThanOrEqual(2);
});

test.runIf(hasTmux)("it can be stopped and continued, and a text can be changed in an editor", async () => {
  const here = await scene({ turns: [{ text: "Still here." }] });
  writeFileSync(join(here.env.HOME, "editor"), '#!/bin/sh\necho "edited in $0" >> "$1"\n', { mode: 0o755 });
  const env = { ...here.env, PS1: "$ ", EDITOR: `'${join(here.env.HOME, "editor")}'` };
  const { keys, shows, settings } = terminal({ ...here, env }, "bash --norc --noediting -i");
  await shows("$\n");
  keys("-l", `'${SIGNALBOX}' native; echo "ended $?"`);
  keys("Enter");
  await shows("❯\n");
  keys("-l", "half");
  await shows("❯ half");
  keys("C-z");
  await expect.poll(settings, WAIT).toContain(" icanon");
  keys("fg", "Enter");
  await expect.poll(settings, WAIT).toContain("-icanon");
  keys("C-g");
  await shows("edited in /");
  keys("Enter");
  await shows("Still here.");
  expect(here.server.requests[0]?.userTexts[0]).toMatch(/^half ?edited in \//);
  keys("C-d");
  await shows("signalbox sessions resume");
  await expect.poll(settings, WAIT).toContain(" icanon");
});

test.runIf(hasTmux)("a terminal that is closed takes the running command with it", async () => {
  const here = await scene({ turns: [{ shell: "echo $$ > begun; while true; do sleep 0.1; done" }, { text: "x" }] });
  const run = `sh -c 'echo $$ > own; exec "$0" native' '${SIGNALBOX}'; echo "ended $?"; sleep 60`;
  const { keys, shows, settings } = terminal(here, run);
  await shows("❯\n");
  keys("go", "Enter");
  await expect.poll(() => pidIn(join(here.cwd, "begun")), WAIT).toBeGreaterThan(0);
  process.kill(pidIn(join(here.cwd, "own")), "SIGHUP");
  await shows("ended 129");
  expect([isAlive(pidIn(join(here.cwd, "begun"))), settings()]).toEqual([false, expect.stringContaining(" icanon")]);
});
