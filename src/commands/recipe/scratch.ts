import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { openSpillover, type Spillover } from "../../agents/spillover.ts";
import { packageFolder } from "../../lib/package-folder.ts";
import { createRunFolder } from "../../recipes/run/run-folder.ts";

/** The private folder of a run of the external runner. Disposing it removes everything in it. */
export interface Scratch extends Disposable {
  /** The folder with our shim, for its PATH. */
  readonly shims: string | undefined;
  /** What the runner and its steps read. */
  readonly readable: readonly string[];
  readonly spill: Spillover["spill"];
}

interface ScratchPlace {
  readonly home: string;
  readonly runId: string;
  /** The program that our shim stands in for. */
  readonly shim: string | undefined;
}

export function openScratch({ home, runId, shim }: ScratchPlace): Scratch {
  const folder = createRunFolder(home, runId);
  const [shims, values] = [join(folder.path, "shims"), join(folder.path, "values")];
  for (const path of [shims, values]) mkdirSync(path, { mode: 0o700 });
  if (shim !== undefined) symlinkSync(join(packageFolder(), "shims", shim), join(shims, shim));
  const spillover = openSpillover(values);
  return {
    shims: shim === undefined ? undefined : shims,
    readable: [shims, values],
    spill: (value) => spillover.spill(value),
    [Symbol.dispose]() {
      spillover[Symbol.dispose]();
      folder[Symbol.dispose]();
      rmSync(folder.path, { recursive: true, force: true });
    },
  };
}
