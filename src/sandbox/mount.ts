/** One change to the commands' view of the disk. Later mounts cover earlier ones. */
export interface Mount {
  /**
   * `empty-folder` and `empty-file` hide the original and stay empty; `scratch-folder` is writable and discarded
   * afterwards.
   */
  readonly kind: "writable" | "read-only" | "scratch-folder" | "empty-folder" | "empty-file";
  readonly path: string;
}
