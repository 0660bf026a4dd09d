/**
 * Why a request failed. `transient`: the same request may work later. `too-large`: it never will, a smaller one may.
 * `refused`: nothing helps but a change of settings (key, name, address).
 */
export type ModelErrorKind = "transient" | "too-large" | "refused";

interface Details {
  readonly kind: ModelErrorKind;
  readonly status?: number | undefined;
  /** What the provider asked for in `retry-after`. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** A request that a provider did not answer as it should. The message holds no key and at most a few lines. */
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
