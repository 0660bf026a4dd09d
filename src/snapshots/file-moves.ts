import * as z from "zod";

/** A file or link, and the store and part that have its content. */
const StoredFile = z.object({
  kind: z.enum(["file", "link"]),
  oid: z.string(),
  mode: z.int(),
  part: z.string(),
  /** The id of the snapshot folder. */
  store: z.string(),
});
export type StoredFile = z.infer<typeof StoredFile>;

/** One file that an undo or a redo turns from one state into another. Null: there is no file. */
export const FileMove = z.object({ path: z.string(), from: StoredFile.nullable(), to: StoredFile.nullable() });
export type FileMove = z.infer<typeof FileMove>;

export interface PathReason {
  readonly path: string;
  readonly because: string;
  /** Set where force would not help. */
  readonly isFinal?: true;
}

/** What an undo or redo would do, or has done. */
export interface MoveReport {
  readonly moved: readonly FileMove[];
  /** Files that stay as they are, on purpose. */
  readonly kept: readonly PathReason[];
  readonly failed: readonly PathReason[];
}
