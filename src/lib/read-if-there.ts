import { readFileSync } from "node:fs";
import { errorCode } from "./error-code.ts";

/** The bytes of a file, or undefined when there is none. Whatever else is in the way throws. */
export function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
