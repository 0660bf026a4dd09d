import { join } from "node:path";
import type { SwitchedOff } from "../agents/pack/switched-off.ts";
import { findPack, managedSwitch } from "../agents/registry.ts";
import type { AgentName } from "../contract/agent.ts";
import { MAX_SETTINGS, readBounded } from "../lib/read-bounded.ts";
import type { CheckResult } from "./check.ts";

/** Switches in the user's real settings, which a proof in a throw-away home cannot see. Nothing is changed. */
export function checkSwitches(agent: AgentName, env: NodeJS.ProcessEnv, root = "/"): CheckResult {
  const id = `switches.${agent}`;
  const managed = managedSwitch(agent, root);
  if (managed !== undefined)
    return {
      id,
      status: "warn",
      summary: `${managed.file} ${managed.state === "off" ? "blocks user hooks" : "cannot be read"}, so guarded launches refuse to start`,
      fix: `ask the administrator of this machine to ${managed.state === "off" ? "allow user hooks" : "fix it"}`,
    };
  const places = findPack(agent)?.switchedOff ?? [];
  const found = places.map((place) => fileOf(place, env)).filter(({ path, off }) => off.test(textOf(path)));
  if (found.length === 0) return { id, status: "ok", summary: "nothing in your settings disables hooks" };
  const files = found.map(({ path }) => path).join(", ");
  return {
    id,
    status: "warn",
    summary: `${files} disables hooks; a guarded launch overrides this, a start without signalbox does not`,
    fix: "remove the setting, unless you want it",
  };
}

function fileOf({ path, variable, off }: SwitchedOff, env: NodeJS.ProcessEnv) {
  const own = variable === undefined ? undefined : env[variable];
  const inOwn = path.slice(path.indexOf("/") + 1);
  return { path: own === undefined || own === "" ? join(env["HOME"] ?? "/", path) : join(own, inOwn), off };
}

function textOf(path: string): string {
  try {
    return readBounded(path, MAX_SETTINGS).bytes.toString("utf8");
  } catch {
    return "";
  }
}
