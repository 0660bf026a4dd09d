import { fileURLToPath, pathToFileURL } from "node:url";

/** The address of a file in the protocol. */
export const fileAddress = (path: string): string => pathToFileURL(path).href;

/** The path that an address names; undefined if it is not one of a file on this machine. Servers escape differently. */
export function addressedPath(address: string): string | undefined {
  try {
    const url = new URL(address);
    const path = url.protocol === "file:" && url.hostname === "" ? fileURLToPath(url) : undefined;
    return path?.includes("\0") === true ? undefined : path;
  } catch {
    return undefined;
  }
}

/** The ending of a file name, such as `.ts`; empty if there is none. */
export const endingOf = (path: string): string => /\.[^./]+$/.exec(path)?.[0] ?? "";
