/** How strongly a text tries to steer the reader. `medium` and above is worth acting on. */
export type Risk = "none" | "low" | "medium" | "high" | "critical";

/** One reason for the risk. `start` and `end` are offsets in the text as it was given, before any decoding. */
export interface Finding {
  readonly kind: string;
  readonly severity: Exclude<Risk, "none">;
  readonly start: number;
  readonly end: number;
  readonly because: string;
}

/** `unread` is there when the text was too long to be read whole: how many characters of its middle were skipped. */
export interface Screening {
  readonly risk: Risk;
  readonly findings: readonly Finding[];
  readonly unread?: number;
}

/** A screen for shell commands, as the judge takes it: what it finds can only make a verdict stricter. */
export type CommandScreen = (command: string) => Pick<Screening, "risk"> & {
  readonly findings: readonly Pick<Finding, "because">[];
};
