/**
 * Why a request failed. `transient`: the same request may work later. `too-large`: only a smaller request can work.
 * `bad-image`: it may work without its images. `refused`: only a change of settings (key, name, address) can help.
 */
export type ModelErrorKind = "transient" | "too-large" | "bad-image" | "refused";

interface Details {
  readonly kind: ModelErrorKind;
  readonly status?: number | undefined;
  /** What the provider asked for in `retry-after`. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** A request that a provider did not answer properly. The message contains no key and at most a few lines. */
export class ModelError extends Error {
  readonly kind: ModelErrorKind;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(message: string, { kind, status, retryAfterMs, cause }: Details) {
    super(message, { cause });
    this.name = "ModelError";
    this.kind = kind;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}
