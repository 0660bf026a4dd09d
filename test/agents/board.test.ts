import { join } from "node:path";
import { expect, test } from "vitest";
import { openBoard } from "../../src/board/read-board.ts";
import { isOnPath } from "../support/is-on-path.ts";
import { WAIT } from "../support/tmux-terminal.ts";
import { CONTAINED } from "./contained-agent.ts";
import { ON_TERMINAL, startOnTerminal } from "./terminal-agent.ts";

test.skipIf(!["bwrap", "tmux"].every(isOnPath)).each(CONTAINED)(
  "the board says when %s asks, works, is done and has ended",
  async (name) => {
    const steps = [{ shell: "sleep 3; echo worked > made" }, { shell: "git push origin main" }];
    await using agent = await startOnTerminal(name, steps, () => {});
    const { home, keys, shows, turn } = agent;
    const board = openBoard(join(home, ".signalbox"));
    const seen = () => board.read().entries.map(({ state, source }) => `${state} ${source}`)[0];
    const is = (...wanted: readonly string[]) =>
      expect.poll(() => wanted.includes(seen() ?? ""), { ...WAIT, timeout: 60_000 }).toBe(true);
    await is("running hook", "running log");
    const { question, quit } = ON_TERMINAL[name];
    if (question !== undefined) {
      await shows(question.shows);
      await is("needs you hook", "needs you inferred");
      expect(board.read().entries[0]?.why).toContain("git push origin main");
      await expect
        .poll(() => (seen()?.startsWith("needs you") === true ? (keys(...question.yes), false) : true), {
          ...WAIT,
          interval: 1000,
        })
        .toBe(true);
    } else await turn(3);
    await is("claimed done hook", "claimed done log");
    keys(quit);
    await shows(quit);
    keys("Enter");
    await expect
      .poll(() => board.read().entries.map(({ kind, isLive }) => [kind, isLive]), { ...WAIT, timeout: 60_000 })
      .toEqual([["receipt", false]]);
  },
);
