import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ScriptInput } from "../src/models/scripted/script.ts";
import { isAlive } from "./support/is-alive.ts";
import { isOnPath } from "./support/is-on-path.ts";
import { signalbox, SIGNALBOX } from "./support/run-signalbox.ts";
import { pidIn, scene, terminal, WAIT } from "./support/tmux-terminal.ts";

test.runIf(isOnPath("tmux"))("a text of several lines that is pasted is one task, sent with Enter", async () => {
  const here = await scene({ turns: [{ text: "One." }, { text: "Two." }, { text: "Three." }] });
  const { keys, paste, shows } = terminal(here);
  await shows("/help shows what you can type");
  keys("-l", "mend: ");
  paste("first\n  second\n\nthird");
  await shows("third");
  keys("-l", " now");
  keys("Enter");
  await shows("One.");
  paste("with an end\nof a line\n");
  await shows("of a line");
  keys("Enter");
  await shows("Two.");
  paste("one line");
  await shows("one line");
  keys("Enter");
  await shows("Three.");
  const asked = here.server.requests.map(({ userTexts }) => userTexts.at(-1));
  expect(asked).toEqual(["mend: first\n  second\n\nthird now", "with an end\nof a line", "one line"]);
});

test.runIf(isOnPath("tmux"))("a paste that holds a yes does not answer a question", async () => {
  const here = await scene({ turns: [{ shell: "git push origin nowhere" }] });
  const { keys, paste, shows } = terminal(here);
  await shows("/help shows what you can type");
  keys("push", "Enter");
  await shows("Allow this call?");
  paste("y\nand more\n");
  await shows("and more");
  keys("Enter");
  await shows("please answer y, s or n\n  Allow this call?");
  keys("n", "Enter");
  await shows("[rejected: the person said no]");
});

test.runIf(isOnPath("tmux"))(
  "Ctrl-C clears a line, a wrong answer is asked about again, a line typed meanwhile steers, and exit leaves",
  async () => {
    const here = await scene({
      turns: [
        { shell: "git push origin nowhere" },
        { shell: "touch begun; until test -e finish; do sleep 0.1; done" },
        { text: "Finished both." },
      ],
    });
    const { keys, shows, screen } = terminal(here);
    await shows("/help shows what you can type");
    keys("-l", "a mistake");
    await shows("> a mistake");
    keys("C-c");
    await expect.poll(() => screen().includes("a mistake"), WAIT).toBe(false);
    keys("push", "Enter");
    await shows("Allow this call?");
    keys("maybe", "Enter");
    await shows("maybe\n  please answer y, s or n\n  Allow this call?");
    keys("no", "Enter");
    await shows("[rejected: the person said no]");
    expect(screen()).not.toContain("failed: the user rejected");

    keys("work", "Enter");
    await expect.poll(() => existsSync(join(here.cwd, "begun")), WAIT).toBe(true);
    keys("and then this", "Enter");
    await shows("  for its next request: and then this\n");
    keys("exit", "Enter");
    await shows("  queued: exit\n");
    writeFileSync(join(here.cwd, "finish"), "");
    await shows("Finished both.");
    await shows("ended 0");
    expect(here.server.requests.map(({ userTexts }) => userTexts.at(-1))).toEqual(["push", "work", "and then this"]);
  },
);

test.runIf(isOnPath("tmux") && isOnPath("bash")).each([
  ["ends", "C-d"],
  ["is told to end", "SIGTERM"],
  ["sleeps", "C-z"],
])("a terminal is left as it was when the session %s: what is pasted next has no brackets", async (_, how) => {
  const here = await scene({ turns: [{ text: "x" }] });
  // Without its line editor bash asks for no brackets itself.
  const { keys, paste, shows, screen } = terminal(here, "bash --norc --noediting -i");
  keys("-l", `sh -c 'echo $$ >own; exec "$0" native --plain' '${SIGNALBOX}'`);
  keys("Enter");
  await shows("/help shows what you can type");
  const own = pidIn(join(here.cwd, "own"));
  if (how === "SIGTERM") process.kill(own, how);
  else keys(how);
  // What is typed before would be read by signalbox.
  if (how === "C-z") await shows("Stopped");
  else await expect.poll(() => isAlive(own), WAIT).toBe(false);
  // The arithmetic is the shell's: it is the one that reads.
  keys("-l", "echo back=$((6*7)); cat -v");
  keys("Enter");
  await shows("back=42");
  paste("pasted\n");
  await expect.poll(() => screen().split("\n"), WAIT).toContain("pasted");
});

const SILENT: ScriptInput = {
  turns: [
    { text: "Late.", delay_ms: 6000 },
    { text: "Later.", delay_ms: 600_000 },
  ],
};

test.runIf(isOnPath("tmux"))(
  "a model that is silent is shown to be asked, until it speaks or somebody types, and again after a key without text",
  async () => {
    const here = await scene(SILENT);
    const { keys, shows, screen } = terminal(here);
    await shows("/help shows what you can type");
    keys("first", "Enter");
    await expect.poll(screen, WAIT).toMatch(/> first\n… asking openai-chat\/m, [2-6] s \(Ctrl-C stops\)\n/);
    await shows("> first\nLate.\n");
    keys("second", "Enter");
    await expect.poll(screen, WAIT).toMatch(/> second\n… asking openai-chat\/m, \d+ s \(Ctrl-C stops\)\n/);
    const early = screen();
    await expect.poll(() => screen() !== early && screen().includes("asking"), WAIT).toBe(true);
    keys("Escape");
    await expect.poll(() => screen().includes("asking"), WAIT).toBe(false);
    await expect.poll(screen, WAIT).toMatch(/> second\n… asking openai-chat\/m, \d+ s \(Ctrl-C stops\)\n/);
    keys("-l", "typed ahead");
    await shows("> second\ntyped ahead\n");
    // Two more seconds, which a line that comes back would not let pass.
    await new Promise((resolve) => setTimeout(resolve, 2200));
    expect(screen()).toContain("> second\ntyped ahead\n");
    expect(screen()).not.toContain("… asking");
  },
);

test.runIf(isOnPath("tmux"))("a task on a terminal shows the same, and takes it away before the answer", async () => {
  const here = await scene(SILENT);
  const { shows, screen } = terminal(here, `'${SIGNALBOX}' native -p x; echo "ended $?"; sleep 60`);
  await expect.poll(screen, WAIT).toMatch(/^… asking openai-chat\/m, [2-6] s \(Ctrl-C stops\)$/m);
  await shows("Late.\nended 0\n");
});

test("a task whose standard error is no terminal says nothing of the wait", async () => {
  const here = await scene(SILENT);
  const { code, stdout, stderr } = await signalbox(["native", "-p", "x"], here);
  expect([code, stdout, stderr]).toEqual([0, "Late.\n", ""]);
});
