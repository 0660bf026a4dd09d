import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { build } from "esbuild";
import { JSON_PARSE, JSON_READER } from "./replace-json-parse.ts";

const root = join(import.meta.dirname, "..");

/** The entry points for programs: modules that load only what they need, and their declarations. */
export async function buildLibrary(folder: string): Promise<void> {
  await build({
    bundle: true,
    // As in scripts/build-release.ts.
    preserveSymlinks: true,
    platform: "node",
    // An older Node must be able to read the files to say that it is too old.
    target: "node20",
    keepNames: true,
    define: JSON_PARSE,
    inject: [JSON_READER],
    format: "esm",
    splitting: true,
    chunkNames: "chunk-[hash]",
    entryPoints: {
      agents: join(root, "src/commands/library/agents.ts"),
      backplane: join(root, "src/commands/library/backplane.ts"),
    },
    outdir: folder,
    // The importing program has its own copy of these, or installs it with ours.
    external: ["@agentclientprotocol/sdk"],
    alias: { yaml: join(root, "node_modules/yaml/browser/index.js") },
  });
  const args = ["--project", "tsconfig.library.json", "--outDir", join(folder, "types")];
  const { status, stdout } = spawnSync(join(root, "node_modules/.bin/tsc"), args, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(`the declarations were not generated:\n${stdout}`);
}
