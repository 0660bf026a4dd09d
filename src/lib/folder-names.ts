import { readdirSync } from "node:fs";
import { errorCode } from "./error-code.ts";

/**
 * The names in a folder; none when it does not exist. Throws for a non-folder or an unreadable folder, which must not
 * look empty.
 */
export function folderNames(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}
