import type { ForeignRules, ForeignVerdict, TriedCall } from "../../contract/foreign-rule.ts";

export type ImportFiles = readonly { readonly path: string; readonly text: string }[];

/** Where rules are looked for when no file is named. */
interface ImportPlace {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly workspace: string;
  /** Those of the repository, not the user's own. */
  readonly repository: boolean;
}

/** The installed program that is asked, and where. */
export interface AskedProgram {
  readonly words: readonly [string, ...string[]];
  /** An empty folder: its home, with the empty folder `work` below it. */
  readonly folder: string;
  /** Only the path and the language. */
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly tell: (progress: string) => void;
  /** Serves a model that makes these calls, one list after the other. */
  readonly startModel: (turns: readonly (readonly ScriptedToolCall[])[]) => Promise<AnsweringModel>;
}

export interface ScriptedToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

interface AnsweringModel extends AsyncDisposable {
  readonly url: string;
  /** The last request on its wire. */
  readonly lastRequest: () => unknown;
}

/** How an agent's own rules are imported, and how the installed agent is asked what they say. */
export interface RuleImport {
  /** What answers in the check. */
  readonly checkedBy: string;
  /** Files, and folders with the ending of the files below them. */
  readonly folders: (place: ImportPlace) => {
    readonly files: readonly string[];
    readonly below: readonly (readonly [folder: string, ending: string])[];
  };
  /** Throws a UserError for a file that its agent would not read either. */
  readonly read: (files: ImportFiles) => ForeignRules;
  /** One answer for each call. Nothing that it is asked about may run. */
  readonly ask: (
    calls: readonly TriedCall[],
    rules: ForeignRules,
    program: AskedProgram,
  ) => Promise<readonly ForeignVerdict[]>;
}
