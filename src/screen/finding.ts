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

/** A finding before its points became a severity. Offsets are those of the text as given. */
export interface Signal {
  readonly kind: string;
  readonly points: number;
  readonly start: number;
  readonly end: number;
}
