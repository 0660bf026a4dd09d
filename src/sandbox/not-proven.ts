import type { Containment } from "../contract/containment.ts";

/** A sandbox that does not hold here, and what its user can do. */
export interface NotProven {
  readonly containment: Extract<Containment, { contained: false }>;
}

export const OFF = "set sandbox: off in the policy; see docs/sandbox.md";

export const notProven = (because: string, fix: string): NotProven => ({
  containment: { contained: false, because, fix },
});
