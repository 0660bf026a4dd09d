import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
import { isOnPath } from "./support/is-on-path.ts";
import { signalbox, SIGNALBOX } from "./support/run-signalbox.ts";
import { scene, terminal, WAIT } from "./support/tmux-terminal.ts";

const waitFor = (name: string) => `until test -e ${name}; do sleep 0.1; done`;

/** Says what it does, and goes on when it is told to. Its second line is wider than the terminal, its third is no text. */
const BUILD = [
  "printf 'step \\033[31mone\\033[0m\\r\\n\\n'",
  waitFor("go"),
  `printf '世界%.0s' $(seq 60); echo`,
  waitFor("on"),
  "printf '10%%\\r55%%'",
  waitFor("end"),
].join("; ");

test.runIf(isOnPath("tmux"))(
  "a conversation shows the last line of a running command in one line, and takes it away at the end",
  async () => {
    const here = await scene({
      turns: [
        { calls: [{ name: "report_intent", input: { intent: "Build \u001b[2J it" } }] },
        { shell: BUILD },
        { text: "Built." },
      ],
    });
    const { keys, shows, screen } = terminal(here);
    await shows("/help shows what you can type");
    keys("build", "Enter");
    await shows("next: Build \\u{1b}[2J it\n· bash printf");
    await shows("\n… step one\n");
    // What is typed has the line for itself.
    keys("-l", "also");
    await shows("\nalso\n");
    expect(screen()).not.toContain("… step one");
    keys("C-u");
    await shows("\n… step one\n");
    writeFileSync(join(here.cwd, "go"), "");
    await expect.poll(screen, WAIT).toMatch(/\n… (?:世界){19}世?\n/);
    writeFileSync(join(here.cwd, "on"), "");
    await shows("\n… 55%\n");
    // Nothing of the wider line is left.
    expect(screen()).not.toContain("世界世");
    writeFileSync(join(here.cwd, "end"), "");
    await shows("Built.");
    expect(screen()).not.toMatch(/… (?:step|世|55)/);
  },
);

test.runIf(isOnPath("tmux"))("a task on a terminal shows the same", async () => {
  const here = await scene({ turns: [{ shell: `echo compiling; ${waitFor("go")}` }, { text: "Built." }] });
  const { shows, screen } = terminal(here, `'${SIGNALBOX}' native -p x; echo "ended $?"; sleep 60`);
  await shows("\n… compiling\n");
  writeFileSync(join(here.cwd, "go"), "");
  await shows("Built.\nended 0\n");
  expect(screen()).not.toContain("… compiling");
});

test.runIf(isOnPath("tmux"))(
  "how long the model has been asked is shown again after a request was shortened",
  async () => {
    const error = { message: "the maximum context length is 16000 tokens", code: "context_length_exceeded" };
    const here = await scene({
      scenes: [
        { when: { contains: "[user]\n" }, turns: [{ text: "Counting\nNumbers.", delay_ms: 4_000 }] },
        {
          when: { contains: "was shortened to fit" },
          turns: [{ text: "unused" }],
          after: { text: "Counted.", delay_ms: 4_000 },
        },
        { turns: [{ shell: "seq 1000 3000" }, { text: "unused", failures: [{ status: 400, body: { error } }] }] },
      ],
    });
    const { shows, screen } = terminal(here, `'${SIGNALBOX}' native -p x; echo "ended $?"; sleep 60`);
    await shows("waiting for a summary\n… asking openai-chat/m, 2 s (Ctrl-C stops)\n");
    await expect.poll(screen, WAIT).toMatch(/was shortened from[^…]*\n… asking openai-chat\/m, 2 s \(Ctrl-C stops\)\n/);
    await shows("Counted.\nended 0\n");
  },
);

test("without a terminal, progress is not shown, and an intent is a plain line", async () => {
  const intent = { calls: [{ name: "report_intent", input: { intent: "Compile\nit" } }] };
  const here = await scene({ turns: [intent, { shell: "echo compiling; sleep 1" }, { text: "Built." }] });
  expect(await signalbox(["native", "-p", "x"], here)).toEqual({
    code: 0,
    stdout: "Built.\n",
    stderr: "signalbox: next: Compile it\nsignalbox: · bash echo compiling; sleep 1\n",
  });
});

const Event = z.looseObject({ type: z.string(), text: z.string().optional() });

test("--json has the last lines as events: short, without control characters, and only a few a second", async () => {
  const line = `printf 'line %s.%s \\007\\033[1m${"x".repeat(400)}\\n' $i $j`;
  const noisy = `for i in $(seq 30); do for j in $(seq 100); do ${line}; done; sleep 0.1; done`;
  const here = await scene({ turns: [{ shell: noisy }, { text: "Built." }] });
  const began = performance.now();
  const { code, stdout } = await signalbox(["native", "-p", "x", "--json"], here);
  const lasted = performance.now() - began;
  const events = stdout
    .trim()
    .split("\n")
    .map((line) => Event.parse(JSON.parse(line)));
  const lines = events.filter(({ type }) => type === "tool-progress").map(({ text = "" }) => text);
  expect(code).toBe(0);
  expect(lines.length).toBeGreaterThan(1);
  expect(lines.length).toBeLessThanOrEqual(lasted / 250);
  for (const shown of lines) expect(shown).toMatch(/^[ -~]+…?$/);
  expect(Math.max(...lines.map(({ length }) => length))).toBe(200);
});
