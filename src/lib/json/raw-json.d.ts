/** A number as written, where a JavaScript number would lose its form: `1.0`, or a whole number beyond 2^53. */
interface RawJSON {
  readonly rawJSON: string;
}

interface JSON {
  rawJSON(text: string): RawJSON;
  isRawJSON(value: unknown): value is RawJSON;
}
