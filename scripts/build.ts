import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");

/** The release form: one small entry and a chunk per lazily imported command. */
async function main(): Promise<void> {
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist, { recursive: true });
  const result = await build({
    entryPoints: { signalbox: join(root, "src/cli.ts") },
    outdir: dist,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node24",
    minify: true,
    keepNames: true,
    metafile: true,
    chunkNames: "chunk-[hash]",
    // The node build of `yaml` is CommonJS and cannot be split; its browser build is the same code as modules.
    alias: { yaml: join(root, "node_modules/yaml/browser/index.js") },
  });
  writeFileSync(join(dist, "meta.json"), JSON.stringify(result.metafile));
  await buildHook();
}

/** The fallback of the hooks: one small CommonJS file with the judge, without YAML and schemas. */
async function buildHook(): Promise<void> {
  const result = await build({
    entryPoints: { hook: join(root, "src/hooks/hook.ts") },
    outdir: dist,
    outExtension: { ".js": ".cjs" },
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node24",
    minify: true,
    metafile: true,
  });
  writeFileSync(join(dist, "hook.meta.json"), JSON.stringify(result.metafile));
  const heavy = Object.keys(result.metafile.inputs).filter((input) =>
    /node_modules\/(?:zod|yaml)\/|src\/contract\//.test(input),
  );
  if (heavy.length > 0) throw new Error(`the hook bundle must stay small, but holds ${heavy.join(", ")}`);
}

await main();
