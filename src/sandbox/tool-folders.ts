import { existsSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { isInside } from "../lib/inside.ts";

/**
 * Folders of a home that hold programs and their parts, and no credentials. Where a tool keeps both in one folder, only
 * the harmless parts are listed (`.cargo` has `credentials.toml`).
 */
const TOOL_FOLDERS: readonly string[] = [
  ".asdf",
  ".bun/bin",
  ".cabal/bin",
  ".cargo/bin",
  ".cargo/config.toml",
  ".cargo/env",
  ".deno/bin",
  ".dotnet",
  ".fnm",
  ".ghcup",
  ".goenv",
  ".jbang/bin",
  ".jenv",
  ".juliaup",
  ".linuxbrew",
  ".local/bin",
  ".local/lib",
  ".local/pipx",
  ".local/share/fnm",
  ".local/share/mise",
  ".local/share/pipx",
  ".local/share/pnpm",
  ".local/share/rtx",
  ".local/share/uv",
  ".local/share/virtualenvs",
  ".nix-profile",
  ".nodenv",
  ".npm-global",
  ".npm-packages",
  ".nvm",
  ".opam",
  ".pnpm",
  ".poetry/bin",
  ".pub-cache/bin",
  ".pyenv",
  ".rbenv",
  ".rustup",
  ".rvm",
  ".rye",
  ".sdkman",
  ".swiftly",
  ".volta",
  "anaconda3",
  "bin",
  "go/bin",
  "miniconda3",
  "miniforge3",
  "sdk",
];

/** Of a home's tool folders those that exist, together with the folders on PATH that are in the home. */
export function toolFolders(home: string, path: string): readonly string[] {
  const onPath = path.split(delimiter).filter((folder) => isAbsolute(folder) && folder !== home);
  const inHome = [
    ...TOOL_FOLDERS.map((name) => join(home, name)),
    ...onPath.filter((folder) => isInside(folder, home)),
  ];
  const present = [...new Set(inHome)].filter((folder) => existsSync(folder)).toSorted();
  return present.filter((folder) => !present.some((other) => other !== folder && isInside(folder, other)));
}
