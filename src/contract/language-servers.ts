/** What the language servers of a project can say about its code. Lines and columns count from 0, in UTF-16 units. */
export interface LanguageServers extends AsyncDisposable {
  /** The file name endings that a server knows, such as `.ts`. */
  readonly endings: readonly string[];
  /** Starts the file's server if needed. Throws an error that says what is wrong, for a model. */
  ask(question: CodeQuestion, signal: AbortSignal): Promise<CodeAnswer>;
  /**
   * The errors that a change has brought into a file, where its server is already running. Undefined if that cannot be
   * told within a short time. Never throws.
   */
  newErrors(change: FileChange, signal: AbortSignal): Promise<readonly CodeProblem[] | undefined>;
}

export const CODE_OPERATIONS = ["definition", "references", "hover", "symbols", "diagnostics"] as const;
export type CodeOperation = (typeof CODE_OPERATIONS)[number];

export interface CodeQuestion {
  readonly operation: CodeOperation;
  /** The real path of the file, and its text as the user sees it. */
  readonly path: string;
  readonly text: string;
  /** Where the symbol is; ignored by operations about whole files. */
  readonly position: CodePosition;
}

export interface CodePosition {
  readonly line: number;
  readonly column: number;
}

export interface FileChange {
  readonly path: string;
  /** Null for a new file. */
  readonly before: string | null;
  readonly after: string;
}

export interface CodePlace extends CodePosition {
  /** An absolute path, or the server's own address of something that is not a file. */
  readonly path: string;
  readonly isFile: boolean;
}

export interface CodeSymbol {
  readonly name: string;
  /** Such as `function`. */
  readonly kind: string;
  readonly line: number;
  /** How many symbols it is inside of. */
  readonly depth: number;
}

export interface CodeProblem {
  readonly severity: "error" | "warning" | "information" | "hint";
  readonly line: number;
  readonly message: string;
}

interface Answered {
  /** What limits the answer, for a model. */
  readonly notes: readonly string[];
}

export type CodeAnswer = Answered &
  (
    | { readonly places: readonly CodePlace[] }
    | { readonly hover: string }
    | { readonly symbols: readonly CodeSymbol[] }
    | { readonly problems: readonly CodeProblem[] }
  );
