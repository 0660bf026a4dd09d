import { isatty } from "node:tty";
import { armers } from "../hooks/guarded/armers.ts";
import { type Guard, prepareGuard } from "../hooks/guarded/prepare.ts";
import type { Launch } from "./launch.ts";

/** Readies the guard for a launch, or says that there is none. Commands of an agent that run no tools need none. */
export async function guardLaunch(launch: Launch, folder: string): Promise<Guard | undefined> {
  const { agent, warn } = launch;
  if (runsNoTools(launch)) return undefined;
  if (launch.unguarded === true || armers[agent.name] === undefined) {
    const because = launch.unguarded === true ? "as you asked" : `${agent.title} has no hook to hold a call by`;
    warn(`unguarded: no rule holds ${agent.title}'s tool calls, ${because}`);
    return undefined;
  }
  return await prepareGuard({
    agent: agent.name,
    binary: launch.binary.real,
    folder,
    cwd: launch.cwd,
    flags: launch.flags,
    env: launch.env,
    interactive: launch.prompt === undefined && isatty(0) && isatty(1),
    deniedTools: launch.deniedTools ?? [],
    warn,
  });
}

const INFORMATION = ["--version", "-v", "-V", "--help", "-h"];

function runsNoTools({ agent, flags, prompt }: Launch): boolean {
  if (prompt !== undefined) return false;
  const [first = ""] = flags;
  return (flags.length === 1 && INFORMATION.includes(first)) || agent.toolFree.includes(first);
}
