/** What a provider accepts. A field that is missing is unknown. */
export interface ImageLimits {
  /** Bytes of one image, as it is sent (base64). */
  readonly bytes?: number;
  /** Pixels of the longer side. */
  readonly pixels?: number;
  /** The longer side when a request contains more images than `above`. */
  readonly many?: { readonly above: number; readonly pixels: number };
  /** Images in one request. 0: it takes none. */
  readonly count?: number;
  /** Bytes of a whole request. */
  readonly request?: number;
}
