import type { Command } from "commander";
import { openBoard } from "../../board/read-board.ts";
import { stopEntry } from "../../board/stop-entry.ts";
import { watchBoard } from "../../board/watch-board.ts";
import { signalboxHome } from "../../lib/path/home-folder.ts";
import { say } from "../../lib/process/standard-streams.ts";
import { EXIT, messageOf } from "../../lib/text/user-error.ts";
import { stopOnSignal } from "../../native/terminal/stop-on-signal.ts";
import type { BoardChoice } from "../../terminal/board-screen.ts";
import { boardLine } from "../../terminal/board-line.ts";
import { styleFor } from "../../terminal/style.ts";
import type { CommandModule } from "../command-module.ts";
import { printJson, printLine } from "../flags.ts";
import { restore } from "../run/runs.ts";
import { openedLines } from "./opened.ts";

const HELP = `
Launches, runs and conversations, those that need you first. Each state says
where it comes from: the agent's hooks, a log, whether its process lives, or
inferred from these. Questions are answered in the agent's own terminal.

  needs you      it asks for approval        claimed done  nobody checked it
  running        it works                    verified      its check passed
  stalled        no event for ten minutes    failed, denied, interrupted
  unknown        nothing on disk tells

Without a terminal the board is printed once. --json prints one line per
change; with --once, one line per entry.

Examples:
  signalbox watch
  signalbox watch --once
  signalbox watch --once --json`;

/** `signalbox watch`: what the agents on this machine do, and who of them waits for a person. */
export const command: CommandModule = {
  configure(command: Command) {
    command.option("--once", "print the board and exit").option("--json", "print JSON").addHelpText("after", HELP);
  },

  async run({ flags }) {
    const home = signalboxHome();
    const asJson = flags["json"] === true;
    if (flags["once"] === true || (!asJson && !(process.stdin.isTTY && process.stdout.isTTY)))
      return printOnce(home, asJson);
    return asJson ? await printChanges(home) : await showBoard(home);
  },
};

function printOnce(home: string, asJson: boolean): number {
  const { entries, problems } = openBoard(home).read();
  const { isTTY, columns } = process.stdout;
  const style = styleFor(isTTY ? process.env : { NO_COLOR: "1" });
  const plain = { ...style, bold: (text: string) => text, dim: (text: string) => text };
  const parts = { now: Date.now(), width: isTTY ? columns : 200, style: isTTY ? style : plain };
  for (const entry of entries) {
    if (asJson) printJson(entry);
    else process.stdout.write(`${boardLine(entry, parts).trimEnd()}\n`);
  }
  if (entries.length === 0 && !asJson) process.stdout.write("nothing yet\n");
  problems.forEach((problem) => say(problem));
  return problems.length === 0 ? EXIT.ok : EXIT.failed;
}

async function printChanges(home: string): Promise<number> {
  using stop = stopOnSignal();
  for await (const board of watchBoard(openBoard(home), stop.signal)) await printLine(board);
  return stop.code() ?? EXIT.ok;
}

async function showBoard(home: string): Promise<number> {
  for (;;) {
    const choice = await onScreen(home);
    if (choice.act === "quit") return EXIT.ok;
    // On the same terminal, with its own questions.
    await restore({ verb: "runs", words: ["restore", choice.entry.id], flags: {}, verbs: [], passed: undefined }).catch(
      (error: unknown) => say(messageOf(error)),
    );
  }
}

async function onScreen(home: string): Promise<BoardChoice> {
  const { BoardScreen } = await import("../../terminal/board-screen.ts");
  using stop = stopOnSignal();
  const left = new AbortController();
  let choice: BoardChoice = { act: "quit" };
  using screen = new BoardScreen({
    environment: process.env,
    open: (entry) => openedLines(home, entry, process.stdout.columns),
    stop(entry) {
      try {
        stopEntry(home, entry);
        return "asked it to end";
      } catch (error) {
        return messageOf(error);
      }
    },
    chosen(chosen) {
      choice = chosen;
      left.abort();
    },
  });
  const signal = AbortSignal.any([stop.signal, left.signal]);
  for await (const board of watchBoard(openBoard(home), signal)) screen.show(board);
  return choice;
}
