export const COMPARISONS = ["==", "!=", "<", "<=", ">", ">=", "in", "not in"] as const;
export type Comparison = (typeof COMPARISONS)[number];

/** A parsed condition. Every part knows where it stands. */
export type Condition = { readonly position: number } & (
  | { readonly kind: "value"; readonly value: boolean | number }
  /** A text, which may refer to context values: `'{{name}}'`. */
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "reference"; readonly name: string }
  | { readonly kind: "list"; readonly items: readonly Condition[] }
  | { readonly kind: "item"; readonly of: Condition; readonly key: Condition }
  | { readonly kind: "call"; readonly name: string; readonly args: readonly Condition[] }
  | { readonly kind: "method"; readonly of: Condition; readonly name: string; readonly args: readonly Condition[] }
  | { readonly kind: "not"; readonly of: Condition }
  | { readonly kind: "and" | "or"; readonly left: Condition; readonly right: Condition }
  | { readonly kind: "compare"; readonly by: Comparison; readonly left: Condition; readonly right: Condition }
);
