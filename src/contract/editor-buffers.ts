/** The files that an editor has open, whose text may not be saved yet. Both functions throw when the editor fails. */
export interface EditorBuffers {
  read(path: string, signal: AbortSignal): Promise<string>;
  /** Undefined: the editor only lets us read. */
  readonly write?: ((path: string, text: string, signal: AbortSignal) => Promise<void>) | undefined;
}
