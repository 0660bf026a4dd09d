import { execFile } from "node:child_process";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Policy } from "../../contract/policy.ts";
import { systemProgram } from "../../lib/path/find-program.ts";
import { isInside, outermostOf } from "../../lib/path/inside.ts";
import { cleanEnvironment } from "../../lib/process/dangerous-variables.ts";
import { shQuote } from "../../lib/text/shell-words.ts";
import { EXIT, messageOf, UserError } from "../../lib/text/user-error.ts";
import type { RunningSandbox, StartParts } from "../linux/session-sandbox.ts";
import { DOOR_PORT, doorVariables, fixedVariables, isNotInside } from "../session/command-environment.ts";
import { lookAfter, notePlaces } from "../session/left-behind.ts";
import { listenOnLoopback, portOf } from "../session/own-loopback.ts";
import { openPrivateHome } from "../session/private-home.ts";
import { openSessionFolder } from "../session/session-folder.ts";
import { hiddenFiles, planSession, type SessionView } from "../session/session-plan.ts";
import { type SeatbeltPlan, seatbeltProfile } from "./seatbelt-profile.ts";
import { followCommands } from "./started-commands.ts";

/**
 * The sandbox of a session on macOS, without proving anything: one profile, applied to each command by `sandbox-exec`.
 * Loopback, /tmp and processes are the machine's own, and commands have no ids.
 */
export async function startSeatbelt(policy: Policy, parts: StartParts, sandboxExec: string): Promise<RunningSandbox> {
  const listeners = await listenOnLoopback(parts).catch((error: unknown) => {
    throw failure(`cannot listen on a loopback port (${messageOf(error)})`);
  });
  const folder = openSessionFolder(parts.signalboxHome, undefined);
  const commands = join(folder.path, "commands");
  const temporary = join(folder.path, "tmp");
  const opened = new DisposableStack();
  const release = () => {
    opened.dispose();
    for (const server of listeners.values()) server.close();
    folder[Symbol.dispose]();
  };
  try {
    for (const path of [commands, temporary]) mkdirSync(path, { mode: 0o700 });
    const doorPort = portOf(listeners.get(DOOR_PORT));
    const { view, home } = await homeAndView(policy, parts, { folder: folder.path, opened });
    notePlaces(folder.path, view, policy);
    const profile = join(folder.path, "profile");
    const { ports: loopbackPorts = [] } = parts;
    const plan = planSeatbelt(view, { ...parts, privateHome: home, temporary, doorPort, loopbackPorts });
    writeFileSync(profile, seatbeltProfile(plan), { mode: 0o600 });
    const { environment } = parts;
    const variables = seatbeltVariables({ ...policy, environment, home, temporary, doorPort });
    writeFileSync(folder.program, seatbeltScript({ sandboxExec, profile, commands, variables }), { mode: 0o700 });
    await tryCommand(folder.program, sandboxExec);
    const started = followCommands(commands, temporary);
    const ended = Promise.withResolvers<void>();
    return {
      program: folder.program,
      argv: (argv) => [folder.program, "--", ...argv],
      commandOf: () => undefined,
      takeRemoved: () => [],
      door: listeners.get(DOOR_PORT),
      listeners,
      plan: view,
      kept: folder.kept,
      ended: ended.promise,
      async [Symbol.asyncDispose]() {
        started[Symbol.dispose]();
        for (const found of await lookAfter(folder.path)) parts.onEvent?.(found);
        release();
        ended.resolve();
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}

async function homeAndView(
  policy: Policy,
  parts: StartParts,
  { folder, opened }: { readonly folder: string; readonly opened: DisposableStack },
): Promise<{ readonly view: SessionView; readonly home: string }> {
  const { signalboxHome, environment } = parts;
  const { workspaceRoot: workspace, home } = policy;
  const path = environment["PATH"] ?? "";
  if (policy.sandbox !== "strict") {
    const { folder: privateHome, ignore } = opened.use(
      await openPrivateHome({ signalboxHome, workspace, home, environment, isInPlace: true }),
    );
    const view = planSession(policy, { ...parts, privateHome, path });
    ignore(hiddenFiles(view));
    return { view, home: privateHome };
  }
  const emptyHome = join(folder, "home");
  mkdirSync(emptyHome, { mode: 0o700 });
  return { view: planSession(policy, { ...parts, privateHome: undefined, path }), home: emptyHome };
}

const TRY_MS = 20_000;

/** A profile that macOS does not accept is found here, and not by the first command. */
async function tryCommand(program: string, sandboxExec: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    execFile(program, [":"], { cwd: "/", env: {}, timeout: TRY_MS }, (error, _, stderr) => {
      if (error === null) return resolve();
      const said = stderr.trim().split("\n").at(-1) ?? "";
      reject(failure(`${sandboxExec} does not start (${(said === "" ? messageOf(error) : said).slice(0, 300)})`));
    });
  });
}

const failure = (message: string) =>
  new UserError(message, {
    fix: "start signalbox outside other sandboxes, or set sandbox: off in the policy; see docs/sandbox.md",
    exitCode: EXIT.refused,
  });

interface SeatbeltPlace {
  /** What commands get as HOME. */
  readonly privateHome: string;
  readonly temporary: string;
  readonly doorPort: number | undefined;
  readonly loopbackPorts: readonly number[];
  /** Paths lent to this sandbox's commands, which are also the last mounts of the view. */
  readonly extraReadable?: readonly string[] | undefined;
  readonly extraWritable?: readonly string[] | undefined;
}

/** What a session's view of the disk means for a Seatbelt profile. There, a missing protected path cannot be made. */
export function planSeatbelt(view: SessionView, place: SeatbeltPlace): SeatbeltPlan {
  const { extraReadable = [], extraWritable = [], doorPort, loopbackPorts } = place;
  const mounts = view.mounts
    .slice(0, view.mounts.length - extraReadable.length - extraWritable.length)
    .map(({ kind, path }) => ({ kind, path: realName(path) }));
  const workspace = realName(view.workspace);
  const first = mounts.findIndex(({ kind, path }) => kind === "read-only" && path === workspace);
  const [before, after] = [mounts.slice(0, first + 1), mounts.slice(first + 1)];
  const closed = after.filter(({ kind }) => kind === "read-only");
  const writable = after.filter(({ kind }) => kind === "writable").map(({ path }) => path);
  const reopened = writable.filter((path) => closed.some((one) => path !== one.path && isInside(path, one.path)));
  return {
    writeRoots: outermostOf([...writable.filter((path) => !reopened.includes(path)), realName(place.privateHome)]),
    protectedPaths: [...new Set([...closed.map(({ path }) => path), ...view.watched.map(realName), ...view.links])],
    reopenedPaths: reopened,
    hiddenPaths: after.filter(({ kind }) => kind.startsWith("empty-")).map(({ path }) => path),
    hiddenFolders: outermostOf(before.filter(({ kind }) => kind !== "read-only").map(({ path }) => path)),
    shownPaths: before.filter(({ kind }) => kind === "read-only").map(({ path }) => path),
    lent: { readable: extraReadable.map(realName), writable: extraWritable.map(realName) },
    temporary: realName(place.temporary),
    doorPort,
    loopbackPorts,
  };
}

/** The name that the kernel knows a path by: without links, and in the case that is on the disk. */
function realName(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(realName(above), basename(path));
  }
}

interface ScriptParts {
  readonly sandboxExec: string;
  readonly profile: string;
  /** A file with the process id of each command is made here. */
  readonly commands: string;
  readonly variables: Readonly<Record<string, string>>;
}

/**
 * The program of a session on macOS: `PROGRAM 'COMMAND'` runs a bash command under the profile, `PROGRAM -- ARGV` a
 * program. sh only closes descriptors up to 9; the sh of macOS is bash, which closes the others too.
 */
export function seatbeltScript({ sandboxExec, profile, commands, variables }: ScriptParts): string {
  const bash = [systemProgram("bash") ?? "/bin/bash", "--norc", "--noprofile", "-c", "--"];
  const settings = Object.entries(variables).map(([name, value]) => shQuote(`${name}=${value}`));
  const words = [...settings, 'PWD="$PWD"', ...[sandboxExec, "-f", profile].map(shQuote)].join(" ");
  // A function is read as a whole, so that bash may lose the descriptor it reads the script from.
  return `#!/bin/sh
# Runs a command in the sandbox of a signalbox session.
# shellcheck disable=SC2016,SC3045 # Values are meant as they are, and every sh that is in use knows ulimit -c.
run() {
  if [ "$#" -gt 1 ] && [ "$1" = -- ]; then shift; else set -- ${bash.map(shQuote).join(" ")} "$1"; fi
  ulimit -c 0
  : > ${shQuote(commands)}/$$ || exit 70
  if [ -n "\${BASH_VERSION-}" ]; then
    for file in /dev/fd/*; do
      case \${file##*/} in
        [0-9] | *[!0-9]*) ;;
        *) eval "exec \${file##*/}>&-" ;;
      esac
    done
  fi
  exec /usr/bin/env -i ${words} -- "$@" 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
}
run "$@"
`;
}

interface VariableParts {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly passVariables?: readonly string[] | undefined;
  readonly home: string;
  readonly temporary: string;
  readonly doorPort: number | undefined;
}

/** The environment of commands: the user's without secrets and what leads outside, with a home and a door of its own. */
export function seatbeltVariables(parts: VariableParts): Readonly<Record<string, string>> {
  const passed = Object.entries(cleanEnvironment(parts.environment, parts.passVariables)).filter(
    ([name]) => !isNotInside(name),
  );
  return {
    ...Object.fromEntries(passed),
    ...fixedVariables(parts.home),
    TMPDIR: parts.temporary,
    // A command has no id here, because nothing of ours runs beside it.
    ...(parts.doorPort === undefined ? {} : doorVariables(parts.doorPort, "session")),
  };
}
