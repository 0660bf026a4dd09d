import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { openSpillover, type Spillover } from "../../agents/spillover.ts";
import { packageFolder } from "../../lib/path/package-folder.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import type { FoundRecipe } from "../recipe/find-recipe.ts";
import { createRunFolder } from "../run/run-folder.ts";

/** The private folder of a run of the external runner. Disposing it removes everything in it. */
interface RunnerFiles extends Disposable {
  /** The environment with our shim first on PATH. */
  readonly withShim: (environment: Readonly<Record<string, string>>) => Readonly<Record<string, string>>;
  /** The folder with the recipes as they were checked, by name. */
  readonly recipes: string;
  /** Where the copy of a recipe is. */
  readonly copyOf: (name: string) => string;
  /** What the runner and its steps read. */
  readonly readable: readonly string[];
  readonly spill: Spillover["spill"];
}

/** `shim` is the program that our shim stands in for. */
export function openRunnerFiles(
  home: string,
  runId: string,
  shim: string | undefined,
  files: readonly FoundRecipe[],
): RunnerFiles {
  const texts = textsByName(files);
  const folder = createRunFolder(home, runId);
  const own = (name: string) => join(folder.path, name);
  const [shims, values, recipes] = [own("shims"), own("values"), own("recipes")];
  for (const path of [shims, values, recipes]) mkdirSync(path, { mode: 0o700 });
  if (shim !== undefined) symlinkSync(join(packageFolder(), "shims", shim), join(shims, shim));
  const copyOf = (name: string) => join(recipes, `${name}.yaml`);
  for (const [name, { text }] of texts) {
    const copy = copyOf(name);
    mkdirSync(dirname(copy), { recursive: true, mode: 0o700 });
    writeFileSync(copy, text, { mode: 0o600 });
  }
  const spillover = openSpillover(values);
  return {
    withShim: (environment) =>
      shim === undefined ? environment : { ...environment, PATH: `${shims}${delimiter}${environment["PATH"]}` },
    recipes,
    copyOf,
    readable: [shims, values, recipes],
    spill: (value) => spillover.spill(value),
    [Symbol.dispose]() {
      spillover[Symbol.dispose]();
      folder[Symbol.dispose]();
      rmSync(folder.path, { recursive: true, force: true });
    },
  };
}

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
