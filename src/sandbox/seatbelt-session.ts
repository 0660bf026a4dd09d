import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import type { Policy } from "../contract/policy.ts";
import { messageOf } from "../lib/message-of.ts";
import { EXIT, UserError } from "../lib/user-error.ts";
import { DOOR_PORT } from "./command-environment.ts";
import { lookAfter, notePlaces } from "./left-behind.ts";
import { openPrivateHome } from "./private-home.ts";
import { planSeatbelt } from "./seatbelt-plan.ts";
import { seatbeltScript, seatbeltVariables } from "./seatbelt-script.ts";
import { seatbeltProfile } from "./seatbelt.ts";
import { openSessionFolder } from "./session-folder.ts";
import { hiddenFiles, planSession, type SessionView } from "./session-plan.ts";
import type { RunningSandbox, StartParts } from "./session-sandbox.ts";
import { followCommands } from "./started-commands.ts";

/**
 * The sandbox of a session on macOS, without proving anything: one profile, applied to each command by `sandbox-exec`.
 * Loopback, /tmp and processes are the machine's own, and commands have no ids.
 */
export async function startSeatbelt(policy: Policy, parts: StartParts, sandboxExec: string): Promise<RunningSandbox> {
  const folder = openSessionFolder(parts.signalboxHome, undefined);
  const listeners = new Map<number, Server>();
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
    if (parts.door === true) listeners.set(DOOR_PORT, await listen(0));
    for (const port of parts.ports ?? []) listeners.set(port, await listen(port));
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
      await openPrivateHome({ signalboxHome, workspace, home, environment }),
    );
    const view = planSession(policy, { ...parts, privateHome, path });
    ignore(hiddenFiles(view));
    return { view, home: privateHome };
  }
  const emptyHome = join(folder, "home");
  mkdirSync(emptyHome, { mode: 0o700 });
  return { view: planSession(policy, { ...parts, privateHome: undefined, path }), home: emptyHome };
}

/** On the machine's own loopback, because there is no other. A session must not keep its launcher running. */
async function listen(port: number): Promise<Server> {
  const server = createServer().unref();
  return await new Promise((resolve, reject) => {
    server.once("error", (error) => reject(failure(`cannot listen on a loopback port (${error.message})`)));
    server.listen(port, "127.0.0.1", () => resolve(server));
  });
}

function portOf(server: Server | undefined): number | undefined {
  const address = server?.address();
  return typeof address === "object" && address !== null ? address.port : undefined;
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
