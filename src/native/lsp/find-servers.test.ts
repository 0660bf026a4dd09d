import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { findServers } from "./find-servers.ts";

function project(files: readonly string[]) {
  const [workspace, bin] = [tempFolder(), tempFolder()];
  const put = (path: string, text = "") => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  for (const file of files) put(join(workspace, file));
  return {
    workspace,
    bin,
    /** Installs programs on PATH. */
    install: (...names: readonly string[]) => {
      for (const name of names) program(join(bin, name));
    },
    /** Installs a package with a program in the project. */
    own: (name: string, version: string, command: string) => {
      put(join(workspace, "node_modules", name, "package.json"), JSON.stringify({ name, version }));
      program(join(workspace, "node_modules/.bin", command));
    },
    find: (path = bin) =>
      findServers({ workspace, environment: { PATH: path } }).map(({ name, program: file, languages }) => [
        name,
        file,
        [...languages.keys()].join(" "),
      ]),
  };
  function program(path: string) {
    put(path, "#!/bin/sh\n");
    chmodSync(path, 0o755);
  }
}

const TS = ".ts .mts .cts .tsx .js .mjs .cjs .jsx";

test("a server is there where the project uses the language and the program is on PATH", () => {
  const { install, find, bin } = project(["go.mod", "x.gemspec", "README.md"]);
  expect(find()).toEqual([]);
  install("gopls", "ruby-lsp", "rust-analyzer", "pylsp");
  expect(find()).toEqual([
    ["gopls", join(bin, "gopls"), ".go"],
    ["ruby-lsp", join(bin, "ruby-lsp"), ".rb"],
  ]);
});

test("the first of several for one language answers alone", () => {
  const { install, find, bin } = project(["package.json", "pyproject.toml"]);
  install("vtsls", "typescript-language-server", "pylsp");
  expect(find()).toEqual([
    ["typescript-language-server", join(bin, "typescript-language-server"), TS],
    ["pylsp", join(bin, "pylsp"), ".py .pyi"],
  ]);
});

test("the project's own program comes before the one on PATH", () => {
  const { install, own, find, workspace } = project(["tsconfig.json"]);
  install("typescript-language-server");
  own("typescript-language-server", "5.3.0", "typescript-language-server");
  const bin = join(workspace, "node_modules/.bin");
  expect(find()).toEqual([["typescript-language-server", join(bin, "typescript-language-server"), TS]]);
  own("typescript", "7.0.2", "tsc");
  expect(find()).toEqual([["tsc", join(bin, "tsc"), TS]]);
});

test.each(["5.9.3", "6.0.0", "", "x", "-7"])("the compiler of version %j is not a language server", (version) => {
  const { own, install, find } = project(["tsconfig.json"]);
  own("typescript", version, "tsc");
  install("tsc");
  expect(find()).toEqual([]);
});

test("folders of the workspace on PATH, relative ones and what cannot run are passed over", () => {
  const { workspace, bin, find } = project(["Cargo.toml", "bin/rust-analyzer"]);
  chmodSync(join(workspace, "bin/rust-analyzer"), 0o755);
  symlinkSync(join(workspace, "bin"), join(bin, "link"));
  writeFileSync(join(bin, "rust-analyzer"), "", { mode: 0o644 });
  expect(find([join(workspace, "bin"), join(bin, "link"), "bin", "", bin].join(":"))).toEqual([]);
});

test("a damaged or hostile package.json is no package", () => {
  const { own, find, workspace } = project(["tsconfig.json"]);
  own("typescript", "7.0.0", "tsc");
  const file = join(workspace, "node_modules/typescript/package.json");
  for (const text of ["{", "[]", '{"version":7}', "x".repeat(5_000_000)]) {
    writeFileSync(file, text);
    expect(find()).toEqual([]);
  }
});

test("a folder that cannot be listed has none", () => {
  expect(findServers({ workspace: join(tempFolder(), "missing"), environment: {} })).toEqual([]);
});
