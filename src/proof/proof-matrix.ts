import { findBinary } from "../agents/find-binary.ts";
import { PACKS } from "../agents/packs.ts";
import { isUserError } from "../lib/text/user-error.ts";
import { GUARANTEES } from "./guarantees.ts";
import { isProvable, proofState, readProof, sentence } from "./proof-state.ts";

interface MatrixPlace {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly home: string;
  readonly version: string;
}

/** What was proven about each agent on this machine, and whether that still holds for its program. */
export interface ProofMatrix {
  readonly guarantees: Readonly<Record<string, string>>;
  readonly agents: readonly {
    readonly name: string;
    readonly title: string;
    readonly date: string;
    readonly isCurrent: boolean;
    readonly says: string;
    /** By the guarantee's id. */
    readonly verdicts: Readonly<Record<string, string>>;
  }[];
}

export function proofMatrix({ env, cwd, home, version }: MatrixPlace): ProofMatrix {
  const agents = PACKS.filter(({ program }) => isProvable(program.name)).map(({ program }) => {
    const proof = readProof(home, program.name);
    const known = typeof proof === "object" ? proof : { date: "", guarantees: [] };
    const { name, title } = program;
    const verdicts = Object.fromEntries(known.guarantees.map(({ id, verdict }) => [id, verdict]));
    try {
      const state = proofState(program, findBinary(program, env, [cwd]), { home, version });
      const isCurrent = state.state === "proven" || state.state === "failed";
      return { name, title, date: known.date, isCurrent, says: sentence(program, state), verdicts };
    } catch (error) {
      if (!isUserError(error)) throw error;
      return { name, title, date: known.date, isCurrent: false, says: error.message, verdicts };
    }
  });
  return { guarantees: GUARANTEES, agents };
}
