import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { containedWork, DONE } from "../support/contained-work.ts";
import { isOnPath } from "../support/is-on-path.ts";
import { WAIT } from "../support/tmux-terminal.ts";
import { CONTAINED } from "./contained-agent.ts";
import { PROVABLE } from "./real-agent.ts";
import { LONG, ON_TERMINAL, startOnTerminal } from "./terminal-agent.ts";

const hasParts = ["bwrap", "npm", "curl", "tmux"].every(isOnPath);
/** Terminals break lines anywhere, and dialogs have frames. */
const compact = (text: string) => text.replaceAll(/[\s│]+/g, "");

test.skipIf(!hasParts).each(CONTAINED)(
  "on a terminal, %s works in its sandbox with a plain launch's flags, and a yes lends one thing once",
  async (name) => {
    const work = await containedWork();
    const { turns, other } = work;
    const lend = { shell: `curl -sS http://host:${other.port}/ >> lent` };
    const outside = { shell: 'signalbox outside -- touch "made outside"' };
    await using agent = await startOnTerminal(name, [...turns, lend, outside, lend], (...place) =>
      work.prepare(...place),
    );
    const { cwd, home, keys, shows, screen, turn } = agent;
    await turn(turns.length + 1);
    expect(work.result(cwd, home)).toEqual(DONE);
    const { question } = ON_TERMINAL[name];
    const lent = () => existsSync(join(cwd, "lent")) && readFileSync(join(cwd, "lent"), "utf8");
    if (question === undefined) {
      await shows("all done");
      expect([lent(), other.connections(), existsSync(join(cwd, "made outside"))]).toEqual([false, 0, false]);
      return;
    }
    const isAsked = () => screen().trimEnd().split("\n").slice(-question.lines).join("\n").includes(question.shows);
    // For a moment after its question appears, Claude takes no answer.
    const answer = (reply: readonly string[], isTaken: () => boolean) =>
      expect.poll(() => isTaken() || (isAsked() && keys(...reply)), { ...WAIT, interval: 1000 }).toBe(true);
    await shows(question.shows);
    expect(compact(screen())).toContain(`letthisonecommandreachhost:${other.port},insidethesandbox`);
    expect([lent(), other.connections()]).toEqual([false, 0]);
    await answer(question.yes, () => lent() !== false);
    await turn(turns.length + 2);
    expect([lent(), other.connections()]).toEqual(["hi", 1]);

    await expect.poll(() => compact(screen()), WAIT).toContain("runsoutsidethesandbox,witheverythingthatyoucanreach");
    expect(existsSync(join(cwd, "made outside"))).toBe(false);
    await answer(question.yes, () => existsSync(join(cwd, "made outside")));

    await turn(turns.length + 3);
    await expect.poll(isAsked, WAIT).toBe(true);
    await answer(question.no, () => !isAsked());
    expect([lent(), other.connections()]).toEqual(["hi", 1]);
  },
);

test.skipIf(!hasParts).each(PROVABLE)(
  "the last line after a session of %s resumes it, under the rules",
  async (name) => {
    const steps = [{ text: "first answer" }, { shell: "sudo touch made" }];
    await using agent = await startOnTerminal(name, steps, () => undefined);
    const { cwd, keys, shows, screen, resize, turn } = agent;
    const { ready, quit } = ON_TERMINAL[name];
    await shows("first answer");
    resize(200);
    keys(quit);
    await shows(quit);
    keys("Enter");
    const line = () => /signalbox: to resume this session under the rules: (signalbox .*\S)/.exec(screen())?.[1];
    await expect.poll(line, LONG).toMatch(RESUMES[name]);
    const command = line() ?? "";
    // Only the shell's prompt follows.
    await expect.poll(() => screen().split(command).at(-1)?.trim(), WAIT).toMatch(/^[#$]$/);
    keys("clear", "Enter");
    keys(command, "Enter");
    await expect.poll(() => screen().split(command).at(-1), LONG).toContain(ready);
    keys("go on");
    await shows("go on");
    keys("Enter");
    await turn(3);
    const [, second, third] = agent.model.requests.filter(({ answered }) => answered === "turn");
    expect(JSON.stringify(second)).toContain("first answer");
    expect(JSON.stringify(third)).toContain("Blocked `sudo touch made`");
    expect(existsSync(join(cwd, "made"))).toBe(false);
  },
);

const RESUMES = {
  claude: /^signalbox claude -- --resume [\w-]+$/,
  codex: /^signalbox codex -- resume [\w-]+$/,
  copilot: /^signalbox copilot -- --resume=[\w-]+$/,
};
