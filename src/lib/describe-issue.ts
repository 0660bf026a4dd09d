interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Where a value is invalid, and how: `meta.run_id: expected string, received undefined`. */
export function describeIssue({ path, message }: Issue): string {
  return `${path.map(String).join(".") || "the whole"}: ${message.replace(/^Invalid input: /, "")}`;
}
