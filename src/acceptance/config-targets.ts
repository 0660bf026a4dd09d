import { posix } from "node:path";
import { isLikelyWork, roleByName } from "./deciding-names.ts";

/** Settings whose values are files that run before or around every test. */
const SETTING =
  /(?:setupFiles\w*|globalSetup|globalTeardown|testEnvironment|testRunner|testSequencer|resolver|preload|require|bootstrap|extends)["']?\s*[:=]\s*(\[[^\]]*\]|["'][^"'\n]+["'])/g;
const IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)["'](\.{1,2}\/[^"'\n]+)["']/g;
const ENDINGS = ["", ".js", ".ts", ".mjs", ".cjs", ".mts", ".cts", ".json", "/index.js", "/index.ts"];

/** Files of the workspace that a configuration file imports, or names as set-up. */
export function configTargets(
  file: string,
  text: string,
  read: (path: string) => string | undefined,
): readonly string[] {
  if (!/\.(?:[cm]?[jt]s|json|toml|xml|yml|yaml)$|^\.\w+rc$/.test(posix.basename(file))) return [];
  const settings = [...text.matchAll(SETTING)].flatMap(([, value = ""]) =>
    [...value.matchAll(/["']([^"'\n]+)["']/g)].map(([, name = ""]) => name.replace(/^<rootDir>\//, "./")),
  );
  const imports = /\.[cm]?[jt]s$/.test(file) ? [...text.matchAll(IMPORT)].map(([, name = ""]) => name) : [];
  const resolved = (name: string) => {
    const path = posix.normalize(posix.join(posix.dirname(file), name));
    const found = ENDINGS.map((ending) => path + ending).find((each) => read(each) !== undefined);
    return found === undefined || roleByName(found) !== undefined ? [] : [found];
  };
  return [...settings.flatMap(resolved), ...imports.flatMap(resolved).filter((path) => !isLikelyWork(path))];
}
