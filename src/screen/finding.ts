/** A finding before its points are turned into a severity. Offsets refer to the original text. */
export interface Signal {
  readonly kind: string;
  readonly points: number;
  readonly start: number;
  readonly end: number;
}
