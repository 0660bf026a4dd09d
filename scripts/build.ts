import { globSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build, type BuildOptions, type Plugin } from "esbuild";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");

/** Verbs on the hot path: they are part of the entry. Everything else is loaded when it is asked for. */
const HOT = ["launch"];

const shared: BuildOptions = {
  bundle: true,
  platform: "node",
  target: "node24",
  minify: true,
  keepNames: true,
  metafile: true,
  // The node build of `yaml` is CommonJS and cannot be split; its browser build is the same code as modules.
  alias: { yaml: join(root, "node_modules/yaml/browser/index.js") },
};

/** Leaves the imports of cold verbs to the run time, in the folder where the second build puts them. */
const coldVerbs: Plugin = {
  name: "cold-verbs",
  setup(builder) {
    builder.onResolve({ filter: /^\.\/[\w-]+\.ts$/ }, ({ kind, path }) => {
      const verb = basename(path, ".ts");
      if (kind !== "dynamic-import" || HOT.includes(verb)) return undefined;
      return { path: `./cold/${verb}.js`, external: true };
    });
  },
};

/**
 * The release form: one CommonJS entry for what must start fast (see docs/decisions/bundle.md), modules for the rest.
 */
async function main(): Promise<void> {
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist, { recursive: true });
  const cold = globSync("src/commands/*.ts", { cwd: root }).filter((file) => !file.endsWith(".test.ts"));
  const [hot, rest] = await Promise.all([
    build({
      ...shared,
      entryPoints: { signalbox: join(root, "src/cli.ts") },
      outdir: dist,
      outExtension: { ".js": ".cjs" },
      format: "cjs",
      plugins: [coldVerbs],
    }),
    build({
      ...shared,
      entryPoints: cold.map((file) => join(root, file)),
      outdir: join(dist, "cold"),
      format: "esm",
      splitting: true,
      chunkNames: "chunk-[hash]",
    }),
  ]);
  writeFileSync(join(dist, "meta.json"), JSON.stringify({ hot: hot.metafile, cold: rest.metafile }));
  await buildHook();
}

/** Lets Node keep the compiled form of the bundle in the user's own folder: 5 ms of a hook's 45. */
const HOOK_ENTRY = `"use strict";
const home = process.env.SIGNALBOX_HOME || require("node:os").homedir() + "/.signalbox";
require("node:module").enableCompileCache(home + "/cache");
require("./hook-main.cjs");
`;

/** The fallback of the hooks: one small CommonJS file with the judge, without YAML and schemas, behind a few lines. */
async function buildHook(): Promise<void> {
  const result = await build({
    entryPoints: { "hook-main": join(root, "src/hooks/hook.ts") },
    outdir: dist,
    outExtension: { ".js": ".cjs" },
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node24",
    minify: true,
    metafile: true,
  });
  writeFileSync(join(dist, "hook.cjs"), HOOK_ENTRY);
  writeFileSync(join(dist, "hook.meta.json"), JSON.stringify(result.metafile));
  const heavy = Object.keys(result.metafile.inputs).filter((input) =>
    /node_modules\/(?:zod|yaml)\/|src\/contract\//.test(input),
  );
  if (heavy.length > 0) throw new Error(`the hook bundle must stay small, but holds ${heavy.join(", ")}`);
}

await main();
