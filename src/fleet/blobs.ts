import { copyFileSync, existsSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { hashFile } from "../lib/files/hash-file.ts";
import { makeFolder } from "../lib/files/make-folder.ts";
import { randomId } from "../lib/files/random-id.ts";
import { UserError } from "../lib/text/user-error.ts";
import type { Blob } from "./documents.ts";
import type { Fleet } from "./port.ts";

export const MAX_BLOB_BYTES = 512 * 1024 * 1024;

/** Files in a folder, named by their content. */
export function openBlobs(folder: string): Pick<Fleet, "putBlob" | "getBlob"> {
  const place = ({ sha256 }: Blob) => join(folder, sha256.slice(0, 2), sha256);
  return {
    async putBlob(file) {
      const blob = measureBlob(file);
      const target = place(blob);
      if (existsSync(target)) return blob;
      makeFolder(dirname(target));
      const temporary = `${target}.${randomId()}`;
      try {
        copyFileSync(file, temporary);
        verifyBlob(temporary, blob);
        renameSync(temporary, target);
      } finally {
        rmSync(temporary, { force: true });
      }
      return blob;
    },
    async getBlob(blob, file) {
      if (!existsSync(place(blob))) throw missingBlob(blob);
      copyFileSync(place(blob), file);
      verifyBlob(file, blob);
    },
  };
}

/** What a file is called in the store. */
export function measureBlob(file: string): Blob {
  const { size } = statSync(file);
  if (size > MAX_BLOB_BYTES)
    throw new UserError(`this file has ${size} bytes; a fleet takes at most ${MAX_BLOB_BYTES}`, {
      where: file,
      fix: "leave it out, for example in .gitignore",
    });
  return { sha256: hashFile(file), size };
}

/** Removes a file that is not what its name says, and throws. */
export function verifyBlob(file: string, { sha256, size }: Blob): void {
  if (statSync(file).size === size && hashFile(file) === sha256) return;
  rmSync(file, { force: true });
  throw new Error(`the content of ${sha256} is not what its name says`);
}

export const missingBlob = ({ sha256 }: Blob): Error => new Error(`${sha256} is not in the store`);
