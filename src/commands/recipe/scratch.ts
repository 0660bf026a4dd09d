import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openSpillover, type Spillover } from "../../agents/spillover.ts";
import { packageFolder } from "../../lib/package-folder.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";
import type { FoundRecipe } from "../../recipes/places/find-recipe.ts";
import { createRunFolder } from "../../recipes/run/run-folder.ts";

/** The private folder of a run of the external runner. Disposing it removes everything in it. */
export interface Scratch extends Disposable {
  /** The folder with our shim, for its PATH. */
  readonly shims: string | undefined;
  /** The folder with the recipes as they were checked, by name. */
  readonly recipes: string;
  /** What the runner and its steps read. */
  readonly readable: readonly string[];
  readonly spill: Spillover["spill"];
}

interface ScratchPlace {
  readonly home: string;
  readonly runId: string;
  /** The program that our shim stands in for. */
  readonly shim: string | undefined;
  readonly files: readonly FoundRecipe[];
}

export function openScratch({ home, runId, shim, files }: ScratchPlace): Scratch {
  const texts = textsByName(files);
  const folder = createRunFolder(home, runId);
  const own = (name: string) => join(folder.path, name);
  const [shims, values, recipes] = [own("shims"), own("values"), own("recipes")];
  for (const path of [shims, values, recipes]) mkdirSync(path, { mode: 0o700 });
  if (shim !== undefined) symlinkSync(join(packageFolder(), "shims", shim), join(shims, shim));
  for (const [name, { text }] of texts) {
    const copy = recipeCopy(recipes, name);
    mkdirSync(dirname(copy), { recursive: true, mode: 0o700 });
    writeFileSync(copy, text, { mode: 0o600 });
  }
  const spillover = openSpillover(values);
  return {
    shims: shim === undefined ? undefined : shims,
    recipes,
    readable: [shims, values, recipes],
    spill: (value) => spillover.spill(value),
    [Symbol.dispose]() {
      spillover[Symbol.dispose]();
      folder[Symbol.dispose]();
      rmSync(folder.path, { recursive: true, force: true });
    },
  };
}

/** Where the copy of a recipe is. */
export const recipeCopy = (folder: string, name: string): string => join(folder, `${name}.yaml`);

/** The external runner knows recipes by their names only. */
function textsByName(files: readonly FoundRecipe[]): ReadonlyMap<string, FoundRecipe> {
  const known = new Map<string, FoundRecipe>();
  for (const file of files) {
    const other = known.get(file.name) ?? file;
    if (other.text !== file.text)
      throw new UserError(
        `two different recipes are called '${file.name}', and the external runner would mix them up`,
        {
          where: `${other.file}, ${file.file}`,
          fix: "rename one of them, or use --engine native",
          exitCode: EXIT.usage,
        },
      );
    known.set(file.name, other);
  }
  return known;
}
