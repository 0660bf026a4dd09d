import type { Version } from "./three-way.ts";

interface Others {
  readonly base: Version;
  readonly theirs: Version;
}

/**
 * The three versions of a file with the line ends that the workspace has. Git may have changed those of the other two,
 * where attributes or settings tell it to. A change of all line ends on one side is left as it is.
 */
export function withEndsOf(ours: Version, { base, theirs }: Others): Others & { readonly ours: Version } {
  const [here, before] = [endsOf(ours), endsOf(base)];
  if (here === undefined || before === undefined || here === before) return { base, ours, theirs };
  return { ours, base: withEnds(base, here), theirs: endsOf(theirs) === before ? withEnds(theirs, here) : theirs };
}

/** The line ends of a text, if all are the same. */
function endsOf({ kind, bytes }: Version): "\n" | "\r\n" | undefined {
  if (kind !== "file" || bytes.includes(0)) return undefined;
  const text = bytes.toString("latin1");
  const all = text.split("\n").length - 1;
  const windows = text.split("\r\n").length - 1;
  if (all === 0) return undefined;
  return windows === 0 ? "\n" : windows === all ? "\r\n" : undefined;
}

const withEnds = (version: Version, ends: string): Version => ({
  ...version,
  bytes: Buffer.from(version.bytes.toString("latin1").replaceAll(/\r?\n/g, ends), "latin1"),
});
