import manifest from "../../../package.json" with { type: "json" };
import type { RunSetting } from "../../receipts/run/run-setup.ts";
import { secretValues } from "../../guard/redact.ts";
import { systemProcesses } from "../../hosts/program/system-processes.ts";
import { signalboxHome } from "../../lib/path/home-folder.ts";

/** What all runs of this user on this machine have in common. */
export function runSetting(env: NodeJS.ProcessEnv): RunSetting {
  return {
    home: signalboxHome(env),
    version: manifest.version,
    processes: systemProcesses(env),
    secrets: { values: secretValues(env) },
  };
}
