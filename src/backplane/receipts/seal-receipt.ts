import type { Receipt } from "../../contract/receipt.ts";
import { PREDICATE_TYPE, type SealFacts, STATEMENT_TYPE, type Statement, type Tree } from "../../contract/seal.ts";
import { signStatement } from "./dsse.ts";
import type { SealKey } from "./seal-key.ts";

/** A seal's place in the chain. */
interface ChainPlace {
  readonly sequence: number;
  readonly previous: string | null;
  readonly sealedAt: string;
}

export interface SealMaterial {
  readonly receipt: Receipt;
  /** The canonical hash of the receipt. */
  readonly hash: string;
  readonly facts: SealFacts;
  readonly place: ChainPlace;
}

/** Seals a receipt: a signed statement about its hash, the final tree and the artifacts. One line of text. */
export function sealReceipt({ receipt, hash, facts, place }: SealMaterial, key: SealKey): string {
  const statement: Statement = {
    _type: STATEMENT_TYPE,
    subject: [
      { name: receiptSubject(receipt.meta.run_id), digest: { sha256: hash } },
      ...(facts.tree === null ? [] : [{ name: "tree", digest: treeDigest(facts.tree) }]),
      ...facts.artifacts.map(({ path, sha256 }) => ({ name: `artifact/${path}`, digest: { sha256 } })),
    ],
    predicateType: PREDICATE_TYPE,
    predicate: {
      ...facts,
      run_id: receipt.meta.run_id,
      work_order_id: receipt.meta.work_order_id,
      backend: receipt.backend.id,
      outcome: receipt.outcome,
      started_at: receipt.meta.started_at,
      finished_at: receipt.meta.finished_at,
      sequence: place.sequence,
      previous: place.previous,
      sealed_at: place.sealedAt,
    },
  };
  return signStatement(statement, key);
}

/** The receipt hash that a seal vouches for. */
export function sealedHash({ subject, predicate }: Statement): string | undefined {
  return subject.find(({ name }) => name === receiptSubject(predicate.run_id))?.digest["sha256"];
}

const receiptSubject = (run: string) => `receipt/${run}`;

const treeDigest = (tree: Tree): Record<string, string> => (tree.length === 40 ? { gitTree: tree } : { sha256: tree });
