/** What is at a path: nothing, a file, a link, or something that is not merged. */
export interface Version {
  readonly kind: "nothing" | "file" | "link" | "other";
  /** A file's content or a link's target. */
  readonly bytes: Buffer;
  readonly isExecutable: boolean;
}

interface Versions {
  /** What both started from. */
  readonly base: Version;
  readonly ours: Version;
  readonly theirs: Version;
}

/** The version to put in place of ours, undefined if ours stays; or why that cannot be told. */
type Merged = { readonly version: Version | undefined } | { readonly conflict: string };

/** Merges two texts that have a common base; undefined where both changed the same lines, or one is not text. */
export type MergeText = (texts: Record<"base" | "ours" | "theirs", Buffer>) => Promise<Buffer | undefined>;

/** Merges what happened to one path on two sides. */
export async function threeWay({ base, ours, theirs }: Versions, mergeText: MergeText): Promise<Merged> {
  if (isSame(ours, theirs) || isSame(base, theirs)) return { version: undefined };
  if (isSame(ours, base)) return { version: theirs };
  if (ours.kind === "nothing") return { conflict: "it was changed there and deleted here" };
  if (theirs.kind === "nothing") return { conflict: "it was deleted there and changed here" };
  if (base.kind === "nothing") return { conflict: "it was created on both sides, with different content" };
  if ([base, ours, theirs].some(({ kind }) => kind !== "file"))
    return { conflict: "it was changed on both sides, and is not a file on one of them" };
  const isExecutable = theirs.isExecutable === base.isExecutable ? ours.isExecutable : theirs.isExecutable;
  const bytes = await mergeBytes({ base: base.bytes, ours: ours.bytes, theirs: theirs.bytes }, mergeText);
  if (bytes === undefined) return { conflict: "both sides changed the same lines, or it is not text" };
  return { version: { kind: "file", bytes, isExecutable } };
}

async function mergeBytes(
  { base, ours, theirs }: Record<"base" | "ours" | "theirs", Buffer>,
  mergeText: MergeText,
): Promise<Buffer | undefined> {
  if (ours.equals(base) || ours.equals(theirs)) return theirs;
  if (theirs.equals(base)) return ours;
  return await mergeText({ base, ours, theirs });
}

const isSame = (one: Version, other: Version) =>
  one.kind === other.kind && one.isExecutable === other.isExecutable && one.bytes.equals(other.bytes);
