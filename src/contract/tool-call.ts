/** A call as the model made it. */
export interface ModelCall {
  readonly id: string;
  readonly name: string;
  /** The parsed JSON arguments. */
  readonly input: unknown;
}

/** One thing a call actually did. Paths are absolute. */
export type ToolDeed =
  | { readonly kind: "read"; readonly path: string }
  | { readonly kind: "write"; readonly path: string; readonly before: string | null; readonly after: string }
  | { readonly kind: "command"; readonly command: string; readonly exitCode: number | null }
  | { readonly kind: "fetch"; readonly url: string };
