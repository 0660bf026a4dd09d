import type { Installed } from "../../contract/agent-install.ts";
import type { OrderPolicy } from "../../contract/policy-file.ts";
import type { WrapperParts } from "../client/launch-client.ts";
import type { HookContext } from "../hook-context.ts";

/** One start of an agent whose tool calls are to be guarded. */
export interface GuardedStart {
  /** The agent's name. */
  readonly agent: string;
  readonly binary: string;
  /** The private folder of this run. */
  readonly folder: string;
  readonly cwd: string;
  readonly flags: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** A person sits at the terminal and can be asked. */
  readonly interactive: boolean;
  readonly deniedTools: readonly string[];
  /** The rules of a work order, and who judges its calls beside us. */
  readonly order?: OrderPolicy | undefined;
  readonly alsoJudge?: HookContext["alsoJudge"];
  /** True for settings that hold what `signalbox stage` writes and nothing else: they need nobody's trust. */
  readonly staged?: ((path: string, text: string) => boolean) | undefined;
  readonly warn: (text: string) => void;
  /** For proofs alone: may put a fault in place before the agent is started, or while it runs. */
  readonly onInstalled?: ((hooks: InstalledHooks) => void) | undefined;
}

/** What a proof can tamper with. Only our own code can: no variable and no file leads here. */
export interface InstalledHooks {
  readonly wrapper: string;
  /** What the wrapper was made from. */
  readonly parts: WrapperParts;
  /** The text of the wrapper with some of its parts changed. */
  readonly wrapperWith: (changed: Partial<WrapperParts>) => string;
  readonly stopServer: () => void;
}

/** A start with our hooks in it, and what answers them until it is disposed. */
export interface Guard extends Installed, Disposable {
  /** Loads what answers the hooks. Before that, and when it fails, the wrappers ask the bundle. */
  readonly load: () => Promise<void>;
  /** True once the agent has called a hook. One that never does was not guarded. */
  readonly heard: () => boolean;
}
