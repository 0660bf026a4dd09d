import { UserError } from "../../lib/user-error.ts";
import { type KnownRun, knownRuns } from "./run-log.ts";

/** The one run that a person means by an id, its beginning, or `last`: the one that ended last. */
export function findRun(home: string, name: string): KnownRun {
  const found = matching(knownRuns(home), name);
  const [run] = found;
  if (run !== undefined && found.length === 1) return run;
  throw new UserError(run === undefined ? "there is no such run" : `${found.length} runs begin like that`, {
    where: name,
    fix: "'signalbox runs' lists them",
  });
}

function matching(runs: readonly KnownRun[], name: string): readonly KnownRun[] {
  if (name === "last") return runs.filter(hasEnded).toSorted(byEnd).slice(-1);
  return /^[0-9a-f-]{4,36}$/.test(name) ? runs.filter(({ header }) => header.run_id.startsWith(name)) : [];
}

const hasEnded = ({ closed }: KnownRun) => closed !== undefined;
const byEnd = (one: KnownRun, other: KnownRun) =>
  (one.closed?.finished_at ?? "") < (other.closed?.finished_at ?? "") ? -1 : 1;
