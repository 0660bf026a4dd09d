import { presetPolicy } from "../../../src/guard/policy/compiled-policy.ts";
import { serveDoor } from "../../../src/sandbox/door/serve-door.ts";
import { openSessionSandbox } from "../../../src/sandbox/open-session-sandbox.ts";
import { environmentOf, type Prefix } from "./run-command.ts";

interface ContainedSession extends AsyncDisposable {
  readonly prefix: Prefix;
}

interface ScenePlace {
  readonly home: string;
  readonly workspace: string;
  /** Where the trial's result is kept between scenes. */
  readonly signalboxHome: string;
}

/**
 * The sandbox of a session with a door that opens to no host, so that no command leaves this machine. The one place
 * that knows how a sandbox is opened and entered.
 */
export async function openContained({ home, workspace, signalboxHome }: ScenePlace): Promise<ContainedSession> {
  const preset = presetPolicy("default", { workspaceRoot: workspace, home });
  const policy = { ...preset, sandbox: "workspace" as const, network: { ...preset.network, allow: [] } };
  const sandbox = await openSessionSandbox(policy, { environment: environmentOf(home), signalboxHome, door: true });
  if (!sandbox.contained) throw new Error(`no sandbox: ${sandbox.containment.because}`);
  const door =
    sandbox.door &&
    serveDoor(sandbox.door, {
      policy: () => policy.network,
      commandOf: (id) => sandbox.commandOf(id)?.command,
      isLent: () => false,
      isTainted: () => false,
      onRecord: () => undefined,
      onRefused: () => undefined,
    });
  return {
    prefix: (command) => [sandbox.program, command],
    async [Symbol.asyncDispose]() {
      door?.[Symbol.dispose]();
      await sandbox[Symbol.asyncDispose]();
    },
  };
}
