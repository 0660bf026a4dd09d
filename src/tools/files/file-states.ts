/** Which files were read in which state, so that the model never overwrites content it has not seen. */
export interface FileStates {
  saw(real: string, bytes: Uint8Array): void;
  /** Why a file may not be overwritten, or undefined. */
  objectTo(real: string, bytes: Uint8Array): string | undefined;
}

export function fileStates(): FileStates {
  const seen = new Map<string, string>();
  return {
    saw: (real, bytes) => void seen.set(real, hash(bytes)),
    objectTo(real, bytes) {
      const known = seen.get(real);
      if (known === undefined) return `${real} exists but has not been read; read it first`;
      return known === hash(bytes) ? undefined : `${real} has changed since it was read; read it again`;
    },
  };
}

/** Loaded with the first file, so that a session without files starts faster. */
const hash = (bytes: Uint8Array) => process.getBuiltinModule("node:crypto").hash("sha256", bytes, "base64");
