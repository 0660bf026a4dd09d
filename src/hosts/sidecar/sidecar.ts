import type { OpenHost } from "../../backplane/host.ts";
import { openSidecar, SIDECAR_TIMES, type SidecarTimes } from "./open-sidecar.ts";
import { refuseUncontained, RUNS_ITSELF } from "../program/uncontained.ts";
import { commandEnvironment } from "../../launch/child-environment.ts";
import { describeProgramEnd, type HostCommand, startHostCommand, workspaceRoots } from "../program/program.ts";

/** A host that is a separate program and speaks the protocol on its standard streams. */
export function sidecarHost(
  command: HostCommand,
  env: NodeJS.ProcessEnv,
  times: SidecarTimes = SIDECAR_TIMES,
): OpenHost {
  return async (place) => {
    const { root, source, runId, env: added } = place;
    refuseUncontained("a sidecar", RUNS_ITSELF, place);
    const program = await startHostCommand(command, {
      workspaceRoots: workspaceRoots({ root, source }),
      env: commandEnvironment({ ...env, ...added }, runId),
      runId,
    });
    const peer = {
      output: program.output,
      send: program.write,
      ending: () => describeProgramEnd(program),
      [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
    };
    try {
      return await openSidecar(peer, command.path, times);
    } catch (error) {
      await program[Symbol.asyncDispose]();
      throw error;
    }
  };
}
