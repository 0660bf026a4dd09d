import { join } from "node:path";
import { CODEX_HOOKS_OFF } from "../agents/codex/managed.ts";
import { managedSwitch } from "../agents/managed-switch.ts";
import { readBounded } from "../lib/read-bounded.ts";
import type { ProvableName } from "../proof/offline.ts";
import type { CheckResult } from "./check.ts";

const MAX_SETTINGS = 4 * 1024 * 1024;

interface Place {
  /** Under the home folder, or under the folder that a variable names. */
  readonly path: string;
  readonly variable?: string;
  readonly off: RegExp;
}

const CLAUDE_OFF = /"(?:disableAllHooks"\s*:\s*true|CLAUDE_CODE_(?:SIMPLE|SAFE_MODE|SHELL_PREFIX)"\s*:)/;

/** Settings of the user's own with which an agent would leave out hooks. */
const PLACES: Readonly<Record<ProvableName, readonly Place[]>> = {
  claude: [
    { path: ".claude/settings.json", off: CLAUDE_OFF },
    { path: ".claude.json", off: CLAUDE_OFF },
  ],
  codex: [
    {
      path: ".codex/config.toml",
      variable: "CODEX_HOME",
      off: new RegExp(`${CODEX_HOOKS_OFF.source}|<session-flags>`, "m"),
    },
  ],
  copilot: ["settings.json", "config.json"].map((name) => ({
    path: `.copilot/${name}`,
    variable: "COPILOT_HOME",
    off: /"disable(?:_?all_?hooks"\s*:\s*true|d_?hooks"\s*:)/i,
  })),
};

/** Switches in the user's real settings, which a proof in a throw-away home cannot see. Nothing is changed. */
export function checkSwitches(agent: ProvableName, env: NodeJS.ProcessEnv, root = "/"): CheckResult {
  const id = `switches.${agent}`;
  const managed = managedSwitch(agent, root);
  if (managed !== undefined)
    return {
      id,
      status: "warn",
      summary: `${managed.file} ${managed.state === "off" ? "keeps hooks of users out" : "cannot be read"}, so a guarded launch refuses to start`,
      fix: `ask the administrator of this machine to ${managed.state === "off" ? "allow hooks of users" : "mend it"}`,
    };
  const found = PLACES[agent].map((place) => fileOf(place, env)).filter(({ path, off }) => off.test(textOf(path)));
  if (found.length === 0) return { id, status: "ok", summary: "nothing in your settings switches hooks off" };
  const files = found.map(({ path }) => path).join(", ");
  return {
    id,
    status: "warn",
    summary: `${files} switches hooks off; a guarded launch overrules it, a start without signalbox does not`,
    fix: "take the switch out, unless you want it",
  };
}

function fileOf({ path, variable, off }: Place, env: NodeJS.ProcessEnv) {
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
