import type { Command } from "commander";
import { pruneReceiptsOfRuns, pruneRuns } from "../../receipts/run/prune-runs.ts";
import { recoverRuns } from "../../receipts/run/recover-runs.ts";
import { withRunLock } from "../../receipts/run/known-runs.ts";
import { pruneAudit } from "../../guard/audit/verify-audit.ts";
import { pruneLaunches } from "../../launch/run-folder.ts";
import { refuseInSession } from "../../lib/process/inside-session.ts";
import { waitForLock } from "../../lib/files/lock.ts";
import { makeFolder } from "../../lib/files/make-folder.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { allReports, emptyTrash, type PruneOrder, type PruneReport } from "../../lib/files/prune.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import { pruneRecipeRuns } from "../../recipes/run/run-folder.ts";
import { pruneHomes } from "../../sandbox/session/private-home.ts";
import { pruneSessions } from "../../native/log/prune-sessions.ts";
import { pruneSaved } from "../../snapshots/saved-session.ts";
import type { CommandInput, CommandModule } from "../command-module.ts";
import { isConfirmed, isTerminal, once, printJson, readAge, textFlag } from "../flags.ts";
import { runSetting } from "./setting.ts";
import { join } from "node:path";

export const command: CommandModule = {
  firstWords: () => Object.keys(KINDS),

  configure(command: Command) {
    command
      .argument("[what...]", "sessions, runs, launches, audit (all four without words), or receipts")
      .option("--older-than <age>", "not used for this long, such as 30d or 12h", once)
      .option("--dry-run", "only show what would be removed")
      .option("--yes", "do not ask")
      .option("--json", "print JSON")
      .addHelpText("after", HELP);
  },

  async run({ words, flags }) {
    const dryRun = flags["dryRun"] === true;
    const kinds = kindsOf(words);
    if (!dryRun) refuseInSession("a session cannot prune", "run it in your own terminal; --dry-run works here");
    const age = textFlag(flags, "olderThan");
    const setting = runSetting(process.env);
    const order = { home: setting.home, before: Date.now() - readAge(age ?? "30d", "--older-than"), dryRun };
    if (!dryRun) await confirm({ order, kinds, flags, isAgeGiven: age !== undefined });
    if (!dryRun && kinds.includes("runs")) await recoverRuns(setting);
    const report = dryRun ? await pruneKinds(kinds, order) : await pruneLocked(kinds, order);
    print(report, flags, dryRun);
    return EXIT.ok;
  },
};

type Kind = "sessions" | "runs" | "launches" | "audit" | "receipts";

const RUN = /^[0-9a-f]{8}-[0-9a-f]{4}-/;
const SESSION = /^[0-9]{8}-[0-9]{6}-/;

/** What each word removes. Snapshots belong to the kind of what they were taken for. */
const KINDS: Readonly<Record<Kind, (order: PruneOrder) => Promise<readonly PruneReport[]>>> = {
  sessions: async (order) => [pruneSessions(order), await prunedSnapshots(order, (id) => SESSION.test(id))],
  runs: async (order) => [
    await pruneRuns(order),
    pruneRecipeRuns(order),
    await prunedSnapshots(order, (id) => RUN.test(id)),
  ],
  launches: async (order) => [
    pruneLaunches(order),
    await prunedSnapshots(order, (id) => !RUN.test(id) && !SESSION.test(id)),
    pruneHomes(order),
  ],
  audit: async (order) => [pruneAudit(order)],
  receipts: async (order) => [await pruneReceiptsOfRuns(order)],
};

const isKind = (word: string): word is Kind => Object.hasOwn(KINDS, word);

/** Receipts are what runs are kept for, so they go only when they are named. */
function kindsOf(words: readonly string[]): readonly Kind[] {
  const unknown = words.find((word) => !isKind(word));
  if (unknown !== undefined)
    throw new UserError(`cannot prune ${JSON.stringify(unknown)}`, {
      fix: `name some of: ${Object.keys(KINDS).join(", ")}`,
    });
  const named = words.filter(isKind);
  return named.length === 0 ? ["sessions", "runs", "launches", "audit"] : [...new Set(named)];
}

interface Question {
  readonly order: PruneOrder;
  readonly kinds: readonly Kind[];
  readonly flags: CommandInput["flags"];
  readonly isAgeGiven: boolean;
}

/** A script says what it wants with --older-than or --yes. A person sees the list and answers. */
async function confirm({ order, kinds, flags, isAgeGiven }: Question): Promise<void> {
  if (flags["yes"] === true || (isAgeGiven && !isTerminal())) return;
  const refused = new UserError("nothing was removed", {
    where: "prune",
    fix: "pass --older-than with an age, such as: signalbox prune --older-than 30d --yes",
    exitCode: EXIT.refused,
  });
  if (!isTerminal() || flags["json"] === true) throw refused;
  const plan = await pruneKinds(kinds, { ...order, dryRun: true });
  print(plan, flags, true);
  if (plan.pruned.length > 0 && !(await isConfirmed("Remove these for good? [y/N] "))) throw refused;
}

async function pruneLocked(kinds: readonly Kind[], order: PruneOrder): Promise<PruneReport> {
  makeFolder(join(order.home, "locks"));
  // A second prune waits for the first, and finds nothing left to do.
  using _lock = await waitForLock(join(order.home, "locks", "prune.sqlite"));
  emptyTrash(order.home);
  const report = await pruneKinds(kinds, order);
  emptyTrash(order.home);
  return report;
}

async function pruneKinds(kinds: readonly Kind[], order: PruneOrder): Promise<PruneReport> {
  const reports: PruneReport[] = [];
  for (const kind of kinds) reports.push(...(await KINDS[kind](order)));
  return allReports(reports);
}

/** What may be in use: everything that prune would keep, however old it is. */
export const heldKinds = async (home: string): Promise<PruneReport["kept"]> =>
  (await pruneKinds(["sessions", "runs", "launches"], { home, before: Infinity, dryRun: true })).kept;

/** Under the lock that a restore holds. */
const prunedSnapshots = async (order: PruneOrder, wants: (id: string) => boolean): Promise<PruneReport> =>
  order.dryRun ? pruneSaved(order, wants) : await withRunLock(order.home, () => pruneSaved(order, wants));

function print({ pruned, kept }: PruneReport, flags: CommandInput["flags"], dryRun: boolean): void {
  const bytes = pruned.reduce((sum, item) => sum + item.bytes, 0);
  if (flags["json"] === true) return printJson({ dry_run: dryRun, bytes, pruned: pruned.map(asJson), kept });
  const lines = [
    ...pruned.map(
      ({ what, used, bytes: size }) => `${dryRun ? "would remove" : "removed"}  ${what}  ${day(used)}  ${size} bytes`,
    ),
    ...kept.map(({ what, because }) => `kept  ${what}: ${because}`),
    `${dryRun ? "would remove" : "removed"} ${pruned.length} ${pruned.length === 1 ? "thing" : "things"}, ${bytes} bytes`,
  ];
  process.stdout.write(lines.map((line) => `${printableLine(line)}\n`).join(""));
}

const asJson = ({ what, used, bytes }: PruneReport["pruned"][number]) => ({ what, used: day(used), bytes });
const day = (time: number) => (Number.isFinite(time) ? new Date(time).toISOString().slice(0, 10) : "unknown");

const HELP = `
Removes what was not used for 30 days, or for --older-than:
  sessions   conversations with their outputs and snapshots
  runs       folders, artifacts and snapshots of runs and recipe runs; their receipts stay
  launches   what launches left: snapshots, private homes of the sandbox, kept files
  audit      segments of the audit log that an anchor covers
  receipts   receipts of runs, only when named; their seals stay

Nothing that may still be in use is removed. 'receipt verify' and 'audit verify' still check everything that is left,
and say how much was pruned on which day. On a terminal it asks first; without one, pass --older-than or --yes.

Examples:
  signalbox prune --dry-run
  signalbox prune --older-than 90d --yes
  signalbox prune sessions --older-than 7d
  signalbox prune receipts --older-than 52w`;
