import { basename, dirname, join } from "node:path";
import type { Machine } from "../../contract/machine.ts";
import { isBelow } from "../../lib/path/real-path.ts";

/** Folders that only tools make, and make again. */
const MADE_BY_TOOLS = new Set(
  "node_modules bower_components jspm_packages __pycache__ .venv venv .tox .nox .pytest_cache .mypy_cache .ruff_cache .hypothesis .ipynb_checkpoints htmlcov .eggs .next .nuxt .output .turbo .parcel-cache .svelte-kit .angular .astro .docusaurus .vite .cache .nyc_output .gradle .dart_tool .stack-work dist-newstyle .zig-cache zig-cache zig-out elm-stuff _build .elixir_ls DerivedData .build CMakeFiles cmake-build-debug cmake-build-release playwright-report test-results storybook-static .terragrunt-cache .serverless .aws-sam .metals .bloop .scala-build .clangd .ccls-cache".split(
    " ",
  ),
);

/** The same by habit; people also keep work under these names, so git has to ignore them. */
const USUAL_OUTPUT = new Set(
  "dist build out target coverage bin obj lib-cov tmp temp logs log debug release Debug Release x64 site public/build vendor/bundle pkg reports generated".split(
    " ",
  ),
);

const OUTPUT_FILE =
  /\.(?:pyc|pyo|o|obj|a|so|dylib|dll|exe|class|jar|war|beam|hi|dyn_hi|gcda|gcno|tsbuildinfo|egg-info|whl|tgz|log|pid|tmp|swp|bak|orig|rej|profraw|lcov)$|^(?:\.coverage(?:\..*)?|\.DS_Store|\.eslintcache|\.stylelintcache|coverage\.xml|npm-debug\.log.*|yarn-error\.log|core|a\.out|nohup\.out)$/;

/** True for what a build makes again: inside a folder with such a name, or a file of such a kind that git ignores. */
export function isBuildOutput(path: string, root: string, machine: Machine): boolean {
  if (path === root || !isBelow(path, root)) return false;
  const parts = path.slice(root.length + 1).split("/");
  if (parts.some((part) => MADE_BY_TOOLS.has(part) || part.endsWith(".egg-info"))) return true;
  const at = parts.findIndex((part) => USUAL_OUTPUT.has(part));
  if (at !== -1) return isIgnored(join(root, ...parts.slice(0, at + 1)), root, machine);
  return OUTPUT_FILE.test(basename(path)) && isIgnored(path, root, machine);
}

/** Looks the name up in the `.gitignore` files above. Without a disk to read, it counts as ignored. */
function isIgnored(path: string, root: string, { readText }: Machine): boolean {
  if (readText === undefined) return true;
  for (let folder = dirname(path); isBelow(folder, root); folder = dirname(folder)) {
    const patterns = (readText(join(folder, ".gitignore")) ?? "").split("\n");
    if (patterns.some((line) => names(line.trim(), path, folder))) return true;
    if (folder === root) break;
  }
  return false;
}

/** Only patterns that plainly name it: `dist`, `/dist/`, `packages/x/dist`, `*.log`. */
function names(pattern: string, path: string, folder: string): boolean {
  const plain = pattern.replace(/^(?:\*\*)?\//, "").replace(/\/(?:\*\*?)?$/, "");
  if (plain === "" || plain.startsWith("#") || plain.startsWith("!")) return false;
  const name = basename(path);
  if (plain.startsWith("*.") && !/[*?[/]/.test(plain.slice(1))) return name.endsWith(plain.slice(1));
  return plain === name || plain === path.slice(folder.length + 1);
}
