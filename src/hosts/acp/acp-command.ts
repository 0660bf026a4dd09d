import { ndJsonStream } from "@agentclientprotocol/sdk";
import type { OpenHost } from "../../backplane/host.ts";
import { commandEnvironment } from "../../launch/child-environment.ts";
import {
  describeProgramEnd,
  type HostCommand,
  type HostProgram,
  startHostCommand,
  workspaceRoots,
} from "../program/program.ts";
import { refuseUncontained, RUNS_ITSELF } from "../program/uncontained.ts";
import type { AcpPeer } from "./acp-session.ts";
import { type AcpOptions, openAcp } from "./acp.ts";
import { openTerminals } from "./terminals.ts";

type Naming = Pick<AcpOptions, "name" | "version"> & Partial<AcpOptions>;

/** Opens any agent that speaks ACP on its standard streams. */
export function acpHost(command: HostCommand, env: NodeJS.ProcessEnv, naming: Naming): OpenHost {
  return async (hostPlace) => {
    const { root, source, runId, env: added, policy, folder } = hostPlace;
    refuseUncontained(naming.name, RUNS_ITSELF, hostPlace);
    const folders = workspaceRoots({ root, source });
    const place = { workspaceRoots: folders, env: commandEnvironment({ ...env, ...added }, runId), runId };
    const peer = programPeer(await startHostCommand(command, place));
    const terminals = policy && openTerminals({ policy, folder, env: place.env });
    try {
      return await openAcp(peer, { ...naming, terminals });
    } catch (error) {
      await peer[Symbol.asyncDispose]();
      throw error;
    }
  };
}

/** Wraps a started program as one side of an ACP connection. */
function programPeer(program: HostProgram): AcpPeer {
  const output = new WritableStream<Uint8Array>({
    write: (chunk) => program.write(Buffer.from(chunk)),
    close: () => program.endInput(),
  });
  return {
    stream: ndJsonStream(output, ReadableStream.from(program.output)),
    ending: () => describeProgramEnd(program),
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}
