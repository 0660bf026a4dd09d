/** A finding before its points became a severity. Offsets are those of the text as given. */
export interface Signal {
  readonly kind: string;
  readonly points: number;
  readonly start: number;
  readonly end: number;
}
