/** How strongly a text tries to manipulate its reader. Act on `medium` and above. */
export type Risk = "none" | "low" | "medium" | "high" | "critical";

/** One reason for the risk. `start` and `end` are offsets into the original text, before any decoding. */
export interface Finding {
  readonly kind: string;
  readonly severity: Exclude<Risk, "none">;
  readonly start: number;
  readonly end: number;
  readonly because: string;
}

/** `unread` is set when the text was too long to screen in full: the number of characters skipped in the middle. */
export interface Screening {
  readonly risk: Risk;
  readonly findings: readonly Finding[];
  readonly unread?: number;
}

/** A screen for shell commands, as the judge uses it. Its findings can only make a verdict stricter. */
export type CommandScreen = (command: string) => Pick<Screening, "risk"> & {
  readonly findings: readonly Pick<Finding, "because">[];
};
