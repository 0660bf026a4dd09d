import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import type { ScriptInput } from "../../src/models/scripted/script.ts";
import { startScriptedModel } from "../../src/models/scripted/server.ts";
import { isAlive } from "./is-alive.ts";
import { SIGNALBOX } from "./run-signalbox.ts";
import { withoutSandbox } from "./without-sandbox.ts";
import { tempFolder, tempRepository } from "./temp-folder.ts";

/** A model that plays `script`, a repository and a home to talk with it in. */
export async function scene(script: ScriptInput) {
  const server = await startScriptedModel({ script });
  onTestFinished(() => server.close());
  const env = {
    HOME: withoutSandbox(tempFolder()),
    PATH: process.env["PATH"] ?? "",
    SIGNALBOX_MODEL: "openai-chat/m",
    OPENAI_BASE_URL: `${server.url}/v1`,
  };
  return { server, cwd: tempRepository(), env };
}

/** How long a screen is watched for something. */
export const WAIT = { timeout: 25_000, interval: 50 };

interface TerminalPlace {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly columns?: number;
  readonly rows?: number;
}

/** A terminal in which signalbox native shows lines only, or another command runs. */
export function terminal(
  { cwd, env, columns = 80, rows = 24 }: TerminalPlace,
  command = `'${SIGNALBOX}' native --plain; echo "ended $?"; sleep 60`,
) {
  // The socket by its short name: a whole path may be longer than a socket's can be. A shell, because some users have none.
  const options = { cwd: env["HOME"], env: { ...env, SHELL: "/bin/sh" }, encoding: "utf8" } as const;
  const tmux = (...args: readonly string[]) => execFileSync("tmux", ["-S", "tmux", ...args], options);
  tmux("-f", "/dev/null", "new-session", "-d", "-x", String(columns), "-y", String(rows), "-c", cwd, command);
  // When the terminal goes away, a shell writes its history to the home folder, and native its receipt: wait for them
  // before the folder is removed.
  onTestFinished(async () => {
    const running = processesOn(tmux("display-message", "-p", "#{pane_tty}").trim());
    tmux("kill-server");
    await expect.poll(() => running.filter(isAlive), WAIT).toEqual([]);
  });
  const screen = () => tmux("capture-pane", "-p", "-S", "-500");
  return {
    keys: (...keys: readonly string[]) => void tmux("send-keys", ...keys),
    /** As terminals do it: in brackets when the program has asked for them. */
    paste: (text: string) => {
      // By a file: an argument cannot be as long.
      writeFileSync(join(env["HOME"] ?? "", "pasted"), text);
      tmux("load-buffer", "pasted");
      tmux("paste-buffer", "-p");
    },
    shows: (text: string) => expect.poll(screen, WAIT).toContain(text),
    screen,
    /** With colours and other attributes as control sequences. */
    colours: () => tmux("capture-pane", "-p", "-e", "-S", "-500"),
    /** Takes the terminal away from what runs in it. */
    hangUp: () => void tmux("respawn-pane", "-k", "sleep 60"),
    resize: (to: number, high = rows) => void tmux("resize-window", "-x", String(to), "-y", String(high)),
    /** How the terminal is set: `-icanon` while a line editor has it. */
    settings: () =>
      execFileSync("sh", ["-c", `stty -a < ${tmux("display-message", "-p", "#{pane_tty}")}`], { encoding: "utf8" }),
  };
}

function processesOn(terminal: string): readonly number[] {
  const name = terminal.replace("/dev/", "");
  const lines = execFileSync("ps", ["-A", "-o", "pid=,tty="], { encoding: "utf8" }).trim().split("\n");
  return lines.map((line) => line.trim().split(/ +/)).flatMap(([pid, tty]) => (tty === name ? [Number(pid)] : []));
}

/** signalbox native as people see it, with its prompt drawn. */
export async function richTerminal(place: TerminalPlace, next = "sleep 60") {
  const opened = terminal(place, `'${SIGNALBOX}' native; echo "ended $?"; ${next}`);
  await opened.shows("❯\n");
  return {
    ...opened,
    type: (text: string) => opened.keys("-l", text),
    /** Types a line and sends it. */
    send: (text: string) => {
      opened.keys("-l", text);
      opened.keys("Enter");
    },
  };
}

/** The process id that a command wrote into a file; 0 while there is none. */
export const pidIn = (path: string) => Number(existsSync(path) ? readFileSync(path, "utf8") : 0);
