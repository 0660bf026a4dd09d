import { readdirSync } from "node:fs";
import { errorCode } from "./error-code.ts";

/** The names in a folder, none when it is not there. What is no folder, or may not be read, throws: it must not look empty. */
export function folderNames(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}
