import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isInside } from "../lib/path/inside.ts";
import { randomId } from "../lib/files/random-id.ts";
import { readBoundedText } from "../lib/files/read-file.ts";

/** A value of at least this many UTF-8 bytes is passed as a file. */
export const SPILL_BYTES = 32_768;

const MAX_BYTES = 64 * 1024 * 1024;

/** The spill folder of one run. Disposing it removes the folder and everything in it. */
export interface Spillover extends Disposable {
  /** Returns the value itself, or the `file://` URI of a private file that contains it. */
  spill(value: string): string;
  /** Reverses `spill`. A URI that points anywhere else is an ordinary value and is not opened. */
  read(travelled: string): string;
}

/** Opens a private spill folder with an unguessable name. It is created on disk with the first large value. */
export function openSpillover(parent: string = tmpdir()): Spillover {
  let folder: string | undefined;

  return {
    spill(value) {
      if (Buffer.byteLength(value) < SPILL_BYTES) return value;
      folder ??= realpathSync(mkdtempSync(join(parent, "signalbox-spill-")));
      const path = join(folder, randomId());
      writeFileSync(path, value, { mode: 0o600, flag: "wx" });
      return pathToFileURL(path).href;
    },
    read(travelled) {
      const path = spilledPath(travelled, folder);
      if (path === undefined) return travelled;
      if (!isInside(realpathSync(path), folder ?? path)) throw new Error("a spilled value is a link out of its folder");
      return readBoundedText(path, MAX_BYTES);
    },
    [Symbol.dispose]() {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
      folder = undefined;
    },
  };
}

function spilledPath(travelled: string, folder: string | undefined): string | undefined {
  if (folder === undefined || !travelled.startsWith(pathToFileURL(folder).href)) return undefined;
  const path = fileURLToPath(travelled);
  return isInside(path, folder) ? path : undefined;
}
