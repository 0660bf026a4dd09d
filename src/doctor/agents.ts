import type { Agent } from "../agents/pack/agent.ts";
import { findBinary, type FoundBinary } from "../agents/find-binary.ts";
import { EXIT, UserError } from "../lib/user-error.ts";
import { type BinaryIdentity, identify } from "../launch/binary-identity.ts";
import type { CheckResult } from "./check.ts";

interface Places {
  readonly cwd: string;
  /** Where program identities are cached. */
  readonly cache: string;
  /** Nothing is written, and no agent is started, which might write itself. */
  readonly readOnly: boolean;
}

/**
 * Where an agent is installed, its version, and what our rules cannot guard in it. Not being installed is not a fault.
 */
export async function checkAgent(agent: Agent, env: NodeJS.ProcessEnv, places: Places): Promise<CheckResult> {
  const id = `agent.${agent.name}`;
  let binary: FoundBinary;
  let identity: BinaryIdentity;
  try {
    binary = findBinary(agent, env, [places.cwd]);
    identity = await identify(agent, binary, { ...places, env });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const absent = error.exitCode === EXIT.notFound;
    return {
      id,
      status: absent ? "absent" : "fail",
      summary: absent ? "not installed" : `${error.message} (${error.where})`,
      fix: error.fix,
    };
  }
  const { version, sha256, nativeSha256 } = identity;
  return {
    id,
    status: binary.warnings.length === 0 ? "ok" : "warn",
    ...(binary.warnings.length === 0
      ? {}
      : { fix: `to start that one, set SIGNALBOX_${agent.name.toUpperCase()}_BINARY to it` }),
    summary: `${version} at ${binary.path} (from ${binary.from}), sha256 ${sha256.slice(0, 12)}…; ${[...binary.warnings, `unguarded: ${agent.unprotected}`].join("; ")}`,
    facts: {
      path: binary.path,
      version,
      sha256,
      ...(nativeSha256 === "" ? {} : { nativeSha256 }),
      unprotected: agent.unprotected,
    },
  };
}
