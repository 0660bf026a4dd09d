import { commandWords } from "../../agents/command-words.ts";
import { workspaceFolders } from "../../agents/workspace-folders.ts";
import type { OpenHost } from "../../backplane/host.ts";
import { openSidecar, SIDECAR_TIMES, type SidecarTimes } from "./open-sidecar.ts";
import { commandEnvironment } from "../../launch/child-environment.ts";
import { errorCode } from "../../lib/error-code.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";
import { workedIn } from "../worked-in.ts";
import { describeEnd, type Program, startProgram } from "../program.ts";

/** The first word and the rest of a command line. */
export interface HostCommand {
  readonly path: string;
  readonly argv: readonly string[];
}

/** A host that is a program of its own and speaks the protocol on its standard streams. */
export function sidecarHost(
  command: HostCommand,
  env: NodeJS.ProcessEnv,
  times: SidecarTimes = SIDECAR_TIMES,
): OpenHost {
  return async ({ root, source, runId, env: added }) => {
    const program = await startCommand(command, {
      workedIn: workedIn({ root, source }),
      env: commandEnvironment({ ...env, ...added }, runId),
      runId,
    });
    const peer = {
      output: program.output,
      send: program.write,
      ending: () => describeEnd(program),
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

/** Starts a program that the person named; one that is not there is theirs to mend. */
export async function startCommand(
  command: HostCommand,
  place: { readonly workedIn: readonly string[]; readonly env: NodeJS.ProcessEnv; readonly runId: string },
): Promise<Program> {
  const { env, runId } = place;
  const [cwd = "/"] = place.workedIn;
  const search = { env, cwd, avoid: workspaceFolders(place.workedIn, env) };
  const [path, ...leading] = commandWords(command.path, search);
  try {
    return await startProgram({ path, argv: [...leading, ...command.argv], cwd, env, runId });
  } catch (cause) {
    const code = errorCode(cause) ?? "unknown error";
    throw new UserError(`${command.path} cannot be started (${code})`, {
      where: [command.path, ...command.argv].join(" "),
      fix: "check that the program is installed and can be run",
      exitCode: code === "ENOENT" ? EXIT.notFound : EXIT.notRunnable,
      cause,
    });
  }
}
