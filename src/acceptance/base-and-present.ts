/** One file as it was when the work began, and as it is now. */
export interface BaseAndPresent {
  readonly base: string;
  readonly present: string;
}
