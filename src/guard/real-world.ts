import { lstatSync, readlinkSync } from "node:fs";
import type { World } from "./world.ts";

/** This machine, as it is now. Addresses stay unresolved: whoever opens the connection checks them again. */
export const realWorld: World = {
  readLink: (path) =>
    lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true ? readlinkSync(path) : undefined,
  addresses: () => undefined,
  now: () => Date.now(),
};
