import { existsSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "./package-folder.ts";

/** Our helper for this processor (sandbox-init/), or undefined where there is none. */
export function helperProgram(platform = `${process.platform}-${process.arch}`): string | undefined {
  const file = join(packageFolder(), "sandbox-init", "bin", platform);
  return existsSync(file) ? file : undefined;
}
