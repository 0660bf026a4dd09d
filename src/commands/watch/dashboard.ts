import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import manifest from "../../../package.json" with { type: "json" };
import { openBoard } from "../../board/read-board.ts";
import { stopEntry } from "../../board/stop-entry.ts";
import { serveDashboard } from "../../dashboard/serve-dashboard.ts";
import { atomicWrite } from "../../lib/files/atomic-write.ts";
import { makeFolder } from "../../lib/files/make-folder.ts";
import { systemProgram } from "../../lib/path/find-program.ts";
import { signalboxHome } from "../../lib/path/home-folder.ts";
import { currentFolder } from "../../lib/path/workspace.ts";
import { isInsideSession } from "../../lib/process/inside-session.ts";
import { say } from "../../lib/process/standard-streams.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import { stopOnSignal } from "../../native/terminal/stop-on-signal.ts";
import { proofMatrix } from "../../proof/proof-matrix.ts";
import { sealedParts } from "../../receipts/seal/find-receipt.ts";
import type { CommandModule } from "../command-module.ts";
import { countFlag, once } from "../flags.ts";
import { openEntry } from "./opened.ts";

const HELP = `
The board of 'signalbox watch' as a page, for a browser on this machine. It
listens on 127.0.0.1 only, and prints an address with a new token each time it
starts; keep it to yourself. For another machine, forward the port by ssh. It
ends with Ctrl-C.

Examples:
  signalbox dashboard --open
  signalbox dashboard --port 8712`;

/** `signalbox dashboard`: the board as a page. */
export const command: CommandModule = {
  configure(command: Command) {
    command
      .option("--open", "open it in your browser")
      .option("--port <number>", "the port (default: a free one)", once)
      .addHelpText("after", HELP);
  },

  async run({ flags }) {
    if (isInsideSession(process.env))
      throw new UserError("a session cannot serve the dashboard", {
        where: "SIGNALBOX_RUN is set",
        fix: "run it in your own terminal: signalbox dashboard",
        exitCode: EXIT.refused,
      });
    const home = signalboxHome();
    const { version } = manifest;
    using stop = stopOnSignal();
    await using dashboard = await serveDashboard(openBoard(home), countFlag(flags, "port", 65_535) ?? 0, {
      open: (entry) => openEntry(home, entry),
      receipt: (id) => sealedParts(home, id),
      proof: () => proofMatrix({ env: process.env, cwd: currentFolder(), home, version }),
      stop: (entry) => stopEntry(home, entry),
    });
    using link = writeLink(home, dashboard.url);
    process.stdout.write(`${dashboard.url}\n`);
    if (flags["open"] === true) openInBrowser(link.file);
    await stop.stopped;
    return stop.code() ?? EXIT.ok;
  },
};

/** A page that leads to the dashboard. Only its owner can read it, in contrast to the arguments of a program. */
function writeLink(home: string, url: string): Disposable & { readonly file: string } {
  const folder = join(home, "dashboards");
  makeFolder(folder);
  const file = join(folder, `${process.pid}.html`);
  atomicWrite(file, `<!doctype html><meta http-equiv="refresh" content="0;url=${url}"><title>signalbox</title>\n`);
  return { file, [Symbol.dispose]: () => rmSync(file, { force: true }) };
}

function openInBrowser(file: string): void {
  const program = systemProgram(process.platform === "darwin" ? "open" : "xdg-open");
  if (program === undefined) return say("no program opens a browser here; open the address yourself");
  const child = spawn(program, [`file://${file}`], { stdio: "ignore", detached: true });
  child.on("error", () => say("the browser could not be started; open the address yourself"));
  child.unref();
}
