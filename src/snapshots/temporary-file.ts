import { readdirSync, rmSync } from "node:fs";
import { errorCode } from "../lib/error-code.ts";
import type { OpenFolder } from "../lib/open-folder.ts";
import { randomId } from "../lib/random-id.ts";

/** A name for a file that is being prepared beside its place. It says whose it is. */
export const temporaryName = (): string => `.signalbox-${process.pid}-${randomId()}.tmp`;

const NAME = /^\.signalbox-([1-9]\d{0,9})-[0-9a-f]{32}\.tmp$/;

/** Removes what processes that were killed have left in a folder. */
export function removeLeftFiles(folder: OpenFolder): void {
  for (const name of readdirSync(folder.at("."))) {
    const owner = NAME.exec(name)?.[1];
    if (owner !== undefined && !isAlive(Number(owner))) rmSync(folder.at(name), { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== "ESRCH";
  }
}
