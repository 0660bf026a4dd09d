import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import { build, type BuildOptions, type Plugin } from "esbuild";
import { buildHook, warmHook } from "./build-hook.ts";
import { buildLibrary } from "./build-library.ts";

const root = join(import.meta.dirname, "..");

/** Lets Node keep the compiled form of what it runs in dist/cache: 2 ms of a launch, more of a verb that loads much. */
const ENTRY = `"use strict";
require("node:module").enableCompileCache(__dirname + "/cache");
require("./main.cjs");
`;

/** Verbs on the hot path: they are part of the entry. Everything else is loaded when it is asked for. */
const HOT = ["launch"];

/** A verb that must start fast and needs much: a file of its own, with all that it loads later. */
const APART = "native";

const shared: BuildOptions = {
  bundle: true,
  platform: "node",
  target: "node24",
  minifyWhitespace: true,
  minifySyntax: true,

  metafile: true,
  // The node builds of these are CommonJS and cannot be split; their other builds are the same code as modules.
  alias: {
    yaml: join(root, "node_modules/yaml/browser/index.js"),
    "jsonc-parser": join(root, "node_modules/jsonc-parser/lib/esm/main.js"),
  },
};

const commonJs: BuildOptions = {
  ...shared,
  outExtension: { ".js": ".cjs" },
  format: "cjs",
  // The sources ask where they are; a CommonJS file has other words for it.
  define: { "import.meta.filename": "__filename", "import.meta.dirname": "__dirname" },
};

/** Parts of a launch that are loaded while the agent starts, or only when something has changed; by their place in src. */
const LATE = [
  "hooks/server-answerer",
  "hooks/compile-policy",
  "hooks/launch-sandbox",
  "staging/apply",
  "staging/only-staged",
  "staging/plan-stage",
];

const outName = (place: string) => place.replace(/^commands\//, "").replaceAll("/", "-");

/** Leaves the imports of cold verbs and late parts to the run time, in the folder where the second build puts them. */
const coldVerbs: Plugin = {
  name: "cold-verbs",
  setup(builder) {
    builder.onResolve({ filter: /^\.{1,2}\/[\w-]+\.ts$/ }, ({ kind, path, resolveDir }) => {
      if (kind !== "dynamic-import") return undefined;
      const place = relative(join(root, "src"), join(resolveDir, path)).replace(/\.ts$/, "");
      if (place === `commands/${APART}`) return { path: APART, namespace: "apart" };
      const cold = place.startsWith("commands/") ? !HOT.includes(basename(place)) : LATE.includes(place);
      return cold ? { path: `./cold/${outName(place)}.js`, external: true } : undefined;
    });
    // `import()` of a CommonJS file would first read it for the names that it exports.
    builder.onLoad({ filter: /^/, namespace: "apart" }, () => ({
      contents: `export const { command } = require("./${APART}.cjs");`,
    }));
    builder.onResolve({ filter: new RegExp(`^\\./${APART}\\.cjs$`) }, ({ path }) => ({ path, external: true }));
  },
};

/** Provider packages use zod's whole namespace, and with it every language of its messages: half of what must be parsed. */
const oneLanguage: Plugin = {
  name: "one-language",
  setup(builder) {
    builder.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: 'export { default as en } from "./en.js";',
    }));
  },
};

/**
 * The release form: one CommonJS entry for what must start fast (see docs/decisions/bundle.md), modules for the rest.
 * Made beside `dist` and then put in its place, so that what is run meanwhile is whole.
 */
export async function buildRelease(dist: string): Promise<void> {
  const [made, old] = [`${dist}.${process.pid}.new`, `${dist}.${process.pid}.old`];
  try {
    await makeRelease(made);
    rmSync(join(made, "cache"), { recursive: true });
    if (existsSync(dist)) renameSync(dist, old);
    renameSync(made, dist);
  } finally {
    for (const rest of [made, old]) rmSync(rest, { recursive: true, force: true });
  }
  warmHook(dist);
  warmLaunch(dist);
}

async function makeRelease(dist: string): Promise<void> {
  const started = new Date();
  mkdirSync(dist, { recursive: true });
  const isCold = (file: string) => !file.endsWith(".test.ts") && !basename(file).startsWith(APART);
  const verbs = globSync("src/commands/*.ts", { cwd: root }).filter(isCold);
  const places = [...verbs.map((file) => relative("src", file).replace(/\.ts$/, "")), ...LATE];
  const cold = Object.fromEntries(places.map((place) => [outName(place), join(root, "src", `${place}.ts`)]));
  await Promise.all([
    build({ ...commonJs, outdir: dist, entryPoints: { main: join(root, "src/cli.ts") }, plugins: [coldVerbs] }),
    build({
      ...commonJs,
      outdir: dist,
      entryPoints: { [APART]: join(root, `src/commands/${APART}.ts`) },
      plugins: [oneLanguage],
      inject: [join(root, "scripts/headers-in-release.ts")],
      // It looks for its program from where it lies.
      external: ["@vscode/ripgrep"],
    }),
    build({
      ...shared,
      entryPoints: cold,
      outdir: join(dist, "cold"),
      format: "esm",
      splitting: true,
      plugins: [oneLanguage],
      chunkNames: "chunk-[hash]",
    }),
  ]);
  await buildHook(dist);
  await buildLibrary(join(dist, "library"));
  writeFileSync(join(dist, "signalbox.cjs"), ENTRY);
  // bin/signalbox compares it with the sources: one that was changed during the build is newer.
  utimesSync(join(dist, "signalbox.cjs"), started, started);
}

/** One launch, of Node itself: what is compiled now is what the cache holds from then on. */
function warmLaunch(dist: string): void {
  const home = mkdtempSync(join(tmpdir(), "signalbox-build-"));
  const env = { HOME: home, SIGNALBOX_HOME: home, SIGNALBOX_CLAUDE_BINARY: process.execPath };
  spawnSync(process.execPath, [join(dist, "signalbox.cjs"), "claude", "--", "--version"], { cwd: home, env });
  rmSync(home, { recursive: true, force: true });
}
