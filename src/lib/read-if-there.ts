import { lstatSync, readFileSync } from "node:fs";
import { errorCode } from "./error-code.ts";

/**
 * The bytes of a file, or undefined when it does not exist. Throws on any other problem, including a pipe or device,
 * which might never end.
 */
export function readIfThere(path: string): Buffer | undefined {
  try {
    if (!lstatSync(path).isFile()) throw new Error(`${path} is not a regular file`);
    return readFileSync(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
