import type { Installed } from "../../contract/agent-install.ts";
import type { OrderPolicy } from "../../contract/policy-file.ts";
import type { WrapperParts } from "../client/launch-client.ts";
import type { HookContext } from "../hook-context.ts";

/** A request to start an agent with guarded tool calls. */
export interface GuardedStart {
  /** The agent's name. */
  readonly agent: string;
  readonly binary: string;
  /** The private folder of this run. */
  readonly folder: string;
  readonly cwd: string;
  readonly flags: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** True when a person is at the terminal and can approve calls. */
  readonly interactive: boolean;
  readonly deniedTools: readonly string[];
  /** The rules of a work order, and a second judge for its calls. */
  readonly order?: OrderPolicy | undefined;
  readonly alsoJudge?: HookContext["alsoJudge"];
  /** True for settings that contain only what `signalbox stage` writes; these need no trust. */
  readonly staged?: ((path: string, text: string) => boolean) | undefined;
  readonly warn: (text: string) => void;
  /** For proofs only: can inject a fault before the agent starts or while it runs. */
  readonly onInstalled?: ((hooks: InstalledHooks) => void) | undefined;
}

/** What a proof can tamper with. Only reachable from our own code, not through a variable or a file. */
export interface InstalledHooks {
  readonly wrapper: string;
  /** The parts that the wrapper was built from. */
  readonly parts: WrapperParts;
  /** The wrapper's text with some parts replaced. */
  readonly wrapperWith: (changed: Partial<WrapperParts>) => string;
  readonly stopServer: () => void;
}

/** A start with our hooks installed, which are answered until it is disposed. */
export interface Guard extends Installed, Disposable {
  /** Loads the code that answers hooks. Until then, or if that fails, the wrappers ask the bundle. */
  readonly load: () => Promise<void>;
  /** True once the agent has called a hook. An agent that never does was not guarded. */
  readonly heard: () => boolean;
}
