import type { SealPredicate, Statement } from "../../contract/seal.ts";
import { flawPlace, verifyAudit } from "../../guard/audit/verify-audit.ts";
import { isUserError } from "../../lib/user-error.ts";
import { readStore } from "./read-store.ts";
import { readSealKey } from "./seal-key.ts";
import { snapshotStore } from "./store-receipt.ts";
import { type PlaceFinding, verifyPlaces } from "./verify-places.ts";
import { type Finding, type StoreView, verifyStore } from "./verify-store.ts";

export interface HomeReport {
  readonly seals: readonly Statement[];
  readonly bytes: number;
  readonly findings: readonly Finding[];
  /** Artifacts and parts of the audit log that are not there any more. */
  readonly gone: readonly Finding[];
}

/** Checks all receipts of this machine: store, chain, head, artifacts and the audit log behind them. */
export function verifyHome(home: string): HomeReport {
  const { view, unfinished } = snapshot(home);
  const key = readSealKey(home);
  if (key === undefined) return { seals: [], bytes: 0, findings: [...unfinished, ...keyFinding(view)], gone: [] };
  const { seals, bytes, findings } = verifyStore(view, key);
  const places = seals.flatMap((statement) => verifyPlaces(statement, home));
  const outside = (gone: boolean) => places.filter((found) => found.gone === gone).map(withoutGone);
  return {
    seals,
    bytes,
    findings: [...unfinished, ...findings, ...outside(false), ...auditFinding(home, seals)],
    gone: outside(true),
  };
}

interface RunReport extends HomeReport {
  /** What is wrong with other runs alone. It says nothing about this one. */
  readonly others: readonly Finding[];
}

/** What a report says about one run, and about the chain and the log that it hangs on. */
export function reportOfRun(report: HomeReport, run: string): RunReport {
  const isOther = (finding: Finding) => finding.run !== undefined && finding.run !== run;
  return {
    ...report,
    findings: report.findings.filter((finding) => !isOther(finding)),
    gone: report.gone.filter((finding) => !isOther(finding)),
    others: [...report.findings, ...report.gone].filter(isOther),
  };
}

/** True when every call of the run went through the guard before it was carried out. */
export function isGuarded({ guard }: SealPredicate): boolean {
  return guard.held && guard.calls_not_held.length === 0 && guard.policy_sha256 !== null;
}

const withoutGone = ({ place, because, run }: PlaceFinding): Finding => ({ place, because, run });

/** The store at one moment. One that cannot be locked or finished is looked at as it is. */
function snapshot(home: string): { readonly view: StoreView; readonly unfinished: readonly Finding[] } {
  try {
    return { view: snapshotStore(home), unfinished: [] };
  } catch (error) {
    if (!isUserError(error)) throw error;
    return { view: readStore(home), unfinished: [{ place: error.where ?? home, because: error.message }] };
  }
}

function keyFinding({ chain, head, names }: StoreView): Finding[] {
  if (chain === undefined && head === undefined && names.length === 0) return [];
  return [{ place: "keys/seal.pem", because: "the key is gone: no seal can be checked" }];
}

/** The log is checked as a whole when a seal leans on it. */
function auditFinding(home: string, seals: readonly Statement[]): Finding[] {
  if (seals.every(({ predicate }) => predicate.audit_head === null)) return [];
  const { bad } = verifyAudit(home);
  return bad === undefined ? [] : [{ place: flawPlace(bad), because: bad.because }];
}
