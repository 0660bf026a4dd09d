import { isatty } from "node:tty";
import { isUnattended } from "../agents/is-unattended.ts";
import { findPack } from "../agents/registry.ts";
import { runsNoTools } from "../agents/tool-free.ts";
import type { Guard, GuardedStart } from "../hooks/install/guarded-start.ts";
import { diskError } from "../lib/disk-error.ts";
import { endAll } from "../lib/end-all.ts";
import { signalboxHome } from "../lib/home-folder.ts";
import { stagedCheck } from "../staging/staged-check.ts";
import type { Launch } from "./launch-request.ts";
import { openLaunchFolder } from "./run-folder.ts";

/**
 * Prepares the guard for a launch, or warns that there is none. Subcommands of an agent that run no tools don't need
 * one.
 */
export async function guardLaunch(launch: Launch, folder: string): Promise<Guard | undefined> {
  const { agent, warn } = launch;
  if (runsNoTools(launch)) return undefined;
  // Loaded only for a guarded launch.
  const { prepareGuard } = await import("../hooks/install/prepare.ts");
  if (launch.unguarded === true || findPack(agent.name)?.install === undefined) {
    const because = launch.unguarded === true ? "as you asked" : `${agent.title} has no hooks`;
    warn(`unguarded: ${agent.title}'s tool calls are not checked, ${because}`);
    return undefined;
  }
  const place = openLaunchFolder(signalboxHome(launch.env), folder);
  if (!place.isInHome) warn("cannot write to signalbox's home folder, so calls can be neither recorded nor allowed");
  try {
    const guard = await prepareGuard({
      ...startOf(launch),
      folder: place.folder,
      staged: await stagedCheck(launch.cwd, launch.env),
    });
    const end = () => endAll([() => guard[Symbol.dispose](), () => place[Symbol.dispose]()], warn);
    return { ...guard, [Symbol.dispose]: end };
  } catch (error) {
    place[Symbol.dispose]();
    throw diskError(error, place.folder) ?? error;
  }
}

function startOf(launch: Launch): Omit<GuardedStart, "folder" | "staged"> {
  return {
    agent: launch.agent.name,
    binary: launch.binary.real,
    cwd: launch.cwd,
    flags: launch.flags,
    env: launch.env,
    interactive: launch.prompt === undefined && isatty(0) && isatty(1) && !isUnattended(launch.agent, launch.flags),
    deniedTools: launch.deniedTools ?? [],
    warn: launch.warn,
    onInstalled: launch.proofRun?.onInstalled,
  };
}
