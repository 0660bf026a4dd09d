import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isOnPath } from "./support/is-on-path.ts";
import { isAlive } from "./support/is-alive.ts";
import { pidIn, scene, terminal, WAIT } from "./support/tmux-terminal.ts";
import { SIGNALBOX, signalbox } from "./support/run-signalbox.ts";

test.runIf(isOnPath("tmux") && isOnPath("bash"))(
  "Ctrl-Z and fg leave the session as it was: at the prompt, at a question, and while it works",
  async () => {
    const here = await scene({
      turns: [{ shell: "git push origin nowhere" }, { shell: "touch begun; sleep 600" }, { text: "Back again." }],
    });
    const { keys, shows, screen } = terminal(here, "bash --norc -i");
    const stops = () => screen().match(/Stopped/g)?.length ?? 0;
    const leaveAndReturn = async () => {
      const before = stops();
      keys("C-z");
      await expect.poll(stops, WAIT).toBe(before + 1);
      keys("clear; fg", "Enter");
      // fg names what it takes up again.
      await expect.poll(() => stops() === 0 && screen().includes("bin/signalbox' native"), WAIT).toBe(true);
    };
    keys(`'${SIGNALBOX}' native --plain`, "Enter");
    await shows("/help shows what you can type");
    await leaveAndReturn();
    keys("push it", "Enter");
    await shows("Allow this call?");
    await leaveAndReturn();
    keys("y", "Enter");
    await expect.poll(() => existsSync(join(here.cwd, "begun")), WAIT).toBe(true);
    await leaveAndReturn();
    keys("C-c");
    await shows("[aborted: interrupted]");
    // Nobody was waiting for a line, so no prompt was drawn again.
    expect(screen().split("[aborted")[0]).not.toMatch(/^>|Allow this call/m);
    keys("go on", "Enter");
    await shows("Back again.");
    keys("/quit", "Enter");
    await shows("signalbox sessions resume");
  },
);

test.runIf(isOnPath("tmux"))(
  "Ctrl-D while it works lets the work be finished, or interrupted, and then ends the session",
  async () => {
    const here = await scene({
      turns: [{ shell: "touch begun; until test -e finish; do sleep 0.1; done" }, { text: "Finished." }],
    });
    const { keys, shows } = terminal(here);
    await shows("/help shows what you can type");
    keys("work", "Enter");
    await expect.poll(() => existsSync(join(here.cwd, "begun")), WAIT).toBe(true);
    keys("C-d");
    writeFileSync(join(here.cwd, "finish"), "");
    await shows("Finished.");
    await shows("ended 0");

    const other = await scene({ turns: [{ shell: "touch begun; sleep 600" }, { text: "Never." }] });
    // The shell would die of the Ctrl-C that the terminal sends to both.
    const second = terminal(other, `trap : INT; '${SIGNALBOX}' native --plain; echo "ended $?"; sleep 60`);
    await second.shows("/help shows what you can type");
    second.keys("work", "Enter");
    await expect.poll(() => existsSync(join(other.cwd, "begun")), WAIT).toBe(true);
    second.keys("C-d");
    await expect.poll(second.settings, WAIT).toMatch(/[^-]icanon/);
    second.keys("C-c");
    await second.shows("[aborted: interrupted]");
    await second.shows("ended 0");
  },
);

test.runIf(isOnPath("tmux")).each(["native --plain", "native"])(
  "%s whose terminal is closed while it works ends what runs, and leaves its receipt",
  async (words) => {
    const here = await scene({ turns: [{ shell: "echo $$ > begun; sleep 600" }, { text: "Never." }] });
    const { keys, shows, hangUp } = terminal(here, `'${SIGNALBOX}' ${words}`);
    await shows("/help shows");
    keys("work", "Enter");
    await expect.poll(() => pidIn(join(here.cwd, "begun")), WAIT).toBeGreaterThan(0);
    hangUp();
    const shown = async () => (await signalbox(["receipt", "show", "last"], here)).stdout;
    await expect.poll(shown, WAIT).toMatch(/^task +work\n(?:.*\n)*?outcome +.*interrupted/m);
    expect(isAlive(pidIn(join(here.cwd, "begun")))).toBe(false);
  },
);

test.runIf(isOnPath("tmux"))("Ctrl-C at the prompt ends the session, as the help says", async () => {
  const { keys, shows } = terminal(await scene({ turns: [{ text: "x" }] }));
  await shows("/help shows what you can type");
  keys("/help", "Enter");
  await shows("then leaves the session");
  keys("C-c");
  await shows("ended 0");
});

test.runIf(isOnPath("tmux"))("Ctrl-D at a question is a no, and ends the session", async () => {
  const here = await scene({ turns: [{ shell: "git push origin nowhere; touch pushed" }, { text: "Understood." }] });
  const { keys, shows } = terminal(here);
  await shows("/help shows what you can type");
  keys("push", "Enter");
  await shows("Allow this call?");
  keys("C-d");
  await shows("[rejected: the person said no]");
  await shows("[n]o:\n· bash git push");
  await shows("signalbox sessions resume");
  await shows("ended 0");
  expect(existsSync(join(here.cwd, "pushed"))).toBe(false);
});

test.runIf(isOnPath("tmux"))("a window that changes while it works costs no line, and draws no prompt", async () => {
  const here = await scene({ turns: [{ text: "I begin.", shell: "touch begun; sleep 600" }, { text: "Again." }] });
  const { keys, shows, screen, resize, settings } = terminal(here);
  await shows("/help shows what you can type");
  keys("go", "Enter");
  await expect.poll(() => existsSync(join(here.cwd, "begun")), WAIT).toBe(true);
  for (const columns of [70, 90, 75]) {
    resize(columns);
    await expect.poll(settings, WAIT).toMatch(new RegExp(`columns ${columns}\\b|\\b${columns} columns`));
  }
  keys("C-c");
  await shows("[aborted: interrupted]");
  resize(85);
  keys("more", "Enter");
  await shows("Again.");
  const lines = screen()
    .split("\n")
    .filter((line) => line !== "");
  expect(lines.slice(2)).toEqual([
    "> go",
    "I begin.",
    "· bash touch begun; sleep 600",
    expect.stringContaining("failed: "),
    "[aborted: interrupted]",
    "> more",
    "Again.",
    ">",
  ]);
});
