import { presetPolicy } from "../../../src/guard/policy/compiled-policy.ts";
import { serveDoor } from "../../../src/sandbox/door/serve-door.ts";
import { openSessionSandbox } from "../../../src/sandbox/open-session-sandbox.ts";
import type { Form } from "../../support/sandbox-scene.ts";
import { environmentOf, type Prefix } from "./run-command.ts";

interface ContainedSession extends AsyncDisposable {
  readonly prefix: Prefix;
}

interface ScenePlace {
  readonly home: string;
  readonly workspace: string;
  /** Where the trial's result is kept between scenes. */
  readonly signalboxHome: string;
  readonly form: Form;
  /** For the weaker form: a program to which user namespaces are refused. */
  readonly refused: string;
}

/**
 * The sandbox of a session with a door that opens to no host, so that no command leaves this machine. The one place
 * that knows how a sandbox is opened and entered.
 */
export async function openContained(place: ScenePlace): Promise<ContainedSession> {
  const { home, workspace, signalboxHome, form, refused } = place;
  const preset = presetPolicy("default", { workspaceRoot: workspace, home });
  const network = { ...preset.network, allow: [] };
  const policy = { ...preset, sandbox: "workspace", landlock: "allow", network } as const;
  const sandbox = await openSessionSandbox(policy, {
    environment: environmentOf(home),
    signalboxHome,
    door: true,
    ...(form === "landlock" ? { findBubblewrap: () => refused } : {}),
  });
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
