import { accessSync, constants, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { errorCode } from "../../lib/error-code.ts";
import type { PathGate } from "../files/path-gate.ts";

/** Where a search starts: the judged target of the path. Throws, naming it, when there is nothing to search. */
export function searchTarget(
  path: string,
  {
    callId,
    gate,
    wants,
  }: { readonly callId: string; readonly gate: PathGate; readonly wants: "a folder" | "a file or folder" },
): string {
  const real = gate.real(path);
  gate.check(callId, real, "read");
  const stat = lookAt(real);
  if (!stat.isFile() && !stat.isDirectory()) throw new Error(`${real} is neither a file nor a folder`);
  if (wants === "a folder" && !stat.isDirectory()) throw new Error(`${real} is a file, not a folder; pass its folder`);
  return real;
}

/** Ripgrep silently skips what it cannot read, so the target itself is tested first. */
function lookAt(real: string): Stats {
  try {
    const stat = statSync(real);
    accessSync(real, stat.isDirectory() ? constants.R_OK | constants.X_OK : constants.R_OK);
    return stat;
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT") throw new Error(`${real} does not exist`, { cause: error });
    if (code === "ENOTDIR") throw new Error(`${dirname(real)} is not a folder`, { cause: error });
    if (code === "EACCES") throw new Error(`${real} is not readable by this user`, { cause: error });
    throw new Error(`${real} cannot be searched: ${code ?? String(error)}`, { cause: error });
  }
}
