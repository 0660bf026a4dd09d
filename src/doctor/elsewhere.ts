import { readdirSync } from "node:fs";
import { join } from "node:path";
import { knownRuns, runLife } from "../backplane/run/known-runs.ts";
import { launchesFolder } from "../hooks/server-address.ts";
import { ownerLife } from "../lib/folder-owner.ts";
import { commandMarks } from "../tools/command/left-commands.ts";
import type { CheckResult } from "./check.ts";

/** Work in this home that may still be running somewhere we cannot see. It is therefore not ended or removed. */
export function checkElsewhere(home: string): CheckResult {
  const id = "elsewhere";
  const runs = openRuns(home);
  const folders = [launchesFolder(home), commandMarks(home)].flatMap(unclearIn);
  if (runs.length + folders.length === 0)
    return { id, status: "ok", summary: "nothing here may be in use by a signalbox elsewhere" };
  const what = [
    ...(runs.length === 0 ? [] : [`runs ${runs.join(", ")}`]),
    ...(folders.length === 0 ? [] : [`folders ${folders.join(", ")}`]),
  ];
  const ways = [
    ...(runs.length === 0 ? [] : ["signalbox cancel RUN --gone"]),
    ...(folders.length === 0 ? [] : ["rm -r FOLDER"]),
  ];
  return {
    id,
    status: "warn",
    summary: `left alone because another machine, container or older signalbox may still be using it: ${what.join("; ")}`,
    fix: `once you know it has ended: ${ways.join(", ")}`,
  };
}

function openRuns(home: string): readonly string[] {
  try {
    return knownRuns(home)
      .filter((run) => run.end === undefined && runLife(run) === "unknown")
      .map(({ header }) => header.run_id);
  } catch {
    // An unreadable home is reported by its own check.
    return [];
  }
}

function unclearIn(parent: string): readonly string[] {
  try {
    return readdirSync(parent)
      .map((name) => join(parent, name))
      .filter((folder) => ownerLife(folder) === "unknown");
  } catch {
    return [];
  }
}
