import { lstatSync, readFileSync } from "node:fs";
import { errorCode } from "./error-code.ts";

/** The bytes of a file, or undefined when there is none. Whatever else is in the way throws; a pipe or device would not end. */
export function readIfThere(path: string): Buffer | undefined {
  try {
    if (!lstatSync(path).isFile()) throw new Error(`${path} is not a regular file`);
    return readFileSync(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
