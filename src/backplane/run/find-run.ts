import { UserError } from "../../lib/user-error.ts";
import { type KnownRun, knownRuns } from "./run-log.ts";

/** The one run that a person means by an id or its beginning. */
export function findRun(home: string, name: string): KnownRun {
  const found = /^[0-9a-f-]{4,36}$/.test(name)
    ? knownRuns(home).filter(({ header }) => header.run_id.startsWith(name))
    : [];
  const [run] = found;
  if (run !== undefined && found.length === 1) return run;
  throw new UserError(run === undefined ? "there is no such run" : `${found.length} runs begin like that`, {
    where: name,
    fix: "'signalbox runs' lists them",
  });
}
