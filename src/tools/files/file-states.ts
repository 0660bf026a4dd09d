/**
 * Which files were read in which state, so that the model never overwrites content it has not seen, and is not sent
 * the same text again. It belongs to one conversation: another one, such as a sub-agent's, has seen other files.
 */
export interface FileStates {
  /** The model was shown the file, or a part of it. */
  saw(real: string, bytes: Uint8Array): void;
  /** The model changed the file, so it knows the state, but was not shown it. */
  wrote(real: string, bytes: Uint8Array): void;
  /** Why a file may not be overwritten, or undefined. */
  objectTo(real: string, bytes: Uint8Array): string | undefined;
  /** The call whose result has the text of this part, if the file is still in that state. */
  shownBy(real: string, part: FilePart, bytes: Uint8Array): string | undefined;
  /** A call's result has the text of this part of the file as it was when last seen. */
  showed(real: string, part: FilePart, callId: string): void;
  /**
   * Must be called when results leave the history, for example by a compaction or an undo: the next `read` then sends
   * the text again. Without `isGone` all of them count as gone. What may be overwritten stays the same.
   */
  forgetShown(isGone?: (callId: string) => boolean): void;
  /**
   * Must be called when turns are taken back: the model may no longer know what it saw in them, so it must read a file
   * again before it overwrites it.
   */
  forgetSeen(): void;
}

/** The lines that a call asked for. */
export interface FilePart {
  readonly offset: number;
  readonly limit: number;
}

export function fileStates(): FileStates {
  const seen = new Map<string, string>();
  const shown = new Map<string, Map<string, { readonly state: string | undefined; readonly callId: string }>>();
  return {
    saw: (real, bytes) => void seen.set(real, hash(bytes)),
    wrote(real, bytes) {
      seen.set(real, hash(bytes));
      shown.delete(real);
    },
    objectTo(real, bytes) {
      const known = seen.get(real);
      if (known === undefined) return `${real} exists but has not been read; read it first`;
      return known === hash(bytes) ? undefined : `${real} has changed since it was read; read it again`;
    },
    shownBy(real, part, bytes) {
      const before = shown.get(real)?.get(keyOf(part));
      return before !== undefined && before.state === hash(bytes) ? before.callId : undefined;
    },
    showed(real, part, callId) {
      const parts = shown.get(real) ?? new Map<string, { state: string | undefined; callId: string }>();
      shown.set(real, parts.set(keyOf(part), { state: seen.get(real), callId }));
    },
    forgetShown(isGone = () => true) {
      for (const parts of shown.values())
        for (const [part, { callId }] of parts) if (isGone(callId)) parts.delete(part);
    },
    forgetSeen() {
      seen.clear();
      shown.clear();
    },
  };
}

const keyOf = ({ offset, limit }: FilePart) => `${offset}+${limit}`;

/** Loaded with the first file, so that a session without files starts faster. */
const hash = (bytes: Uint8Array) => process.getBuiltinModule("node:crypto").hash("sha256", bytes, "base64");
