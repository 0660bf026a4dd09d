import { copyFileSync, existsSync, globSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { build, type BuildOptions, type Plugin } from "esbuild";
import { BUILT_TEXTS, recipesIn } from "../src/staging/sources/recipes.ts";
import { buildHook, warmHook } from "./build-hook.ts";
import { buildLibrary } from "./build-library.ts";
import { buildPage } from "./build-page.ts";
import { compileParts } from "./compile-parts.ts";
import { finishPart, partOptions, writeEntry } from "./compiled-parts.ts";
import { hooksOfPacks } from "./hooks-of-packs.ts";
import { JSON_PARSE, JSON_READER } from "./replace-json-parse.ts";

const root = join(import.meta.dirname, "..");

/** Verbs on the hot path, which are part of the entry. Everything else is loaded on demand. */
const HOT = ["commands/launch"];

/**
 * Modules that must start fast and need much. Each becomes a file of its own with everything it loads later. Paths are relative to
 * src.
 */
const APART: Readonly<Record<string, Part>> = {
  native: { place: "commands/native/native", name: "command", isCompiled: true },
  sandbox: { place: "sandbox/contained-session", name: "openContainedSession", isCompiled: true },
  answerer: { place: "hooks/launch-answerer", name: "openLaunchAnswerer", isCompiled: false, plugins: [hooksOfPacks] },
};

interface Part {
  readonly place: string;
  readonly name: string;
  /** Whether what V8 compiled is kept beside it (docs/decisions/bundle.md). */
  readonly isCompiled: boolean;
  readonly plugins?: readonly Plugin[];
}

const shared: BuildOptions = {
  bundle: true,
  platform: "node",
  target: "node24",
  minifyWhitespace: true,
  minifySyntax: true,

  metafile: true,
  // The names of bundled modules are paths from here, also where node_modules is a link (scripts/pack-release.ts).
  preserveSymlinks: true,
  // Bundled packages parse untrusted text too (docs/decisions/json-reader.md).
  define: JSON_PARSE,
  inject: [JSON_READER],
  // The node builds of these are CommonJS and cannot be split; their other builds are the same code as modules.
  alias: {
    yaml: join(root, "node_modules/yaml/browser/index.js"),
    "jsonc-parser": join(root, "node_modules/jsonc-parser/lib/esm/main.js"),
  },
};

const commonJs: BuildOptions = {
  ...shared,
  format: "cjs",
  outExtension: { ".js": ".cjs" },
  // The sources use `import.meta` for their location, which CommonJS does not have.
  define: { ...JSON_PARSE, "import.meta.filename": "__filename", "import.meta.dirname": "__dirname" },
};
const part: BuildOptions = { ...commonJs, ...partOptions };

/**
 * Parts of a launch that are loaded while the agent starts, or only when something has changed. Paths are relative to
 * src.
 */
const LATE = [
  "guard/policy/active-policy",
  "staging/apply",
  "staging/only-staged",
  "staging/plan-stage",
  // The parts of every agent's pack that most launches do not need.
  ...globSync("src/agents/*/{records,offline,normalise-nested}.ts", { cwd: root }).map((file) =>
    relative("src", file).replace(/\.ts$/, ""),
  ),
];

/** Parts of the engine that it seldom needs and that are large. Paths are relative to src. */
const SELDOM = ["native/mcp/open-mcp", "models/o200k", "terminal/rich-terminal"];

const outName = (place: string) => place.replace(/^commands\//, "").replaceAll("/", "-");

/** Resolves imports of cold verbs and late parts at run time, in the folder where the second build puts them. */
const coldVerbs: Plugin = {
  name: "cold-verbs",
  setup(builder) {
    builder.onResolve({ filter: /^\.{1,2}\/[\w./-]+\.ts$/ }, ({ kind, path, resolveDir }) => {
      if (kind !== "dynamic-import") return undefined;
      const place = relative(join(root, "src"), join(resolveDir, path)).replace(/\.ts$/, "");
      const apart = Object.keys(APART).find((name) => APART[name]?.place === place);
      if (apart !== undefined) return { path: apart, namespace: "apart" };
      const cold = place.startsWith("commands/") ? !HOT.includes(place) : LATE.includes(place);
      return cold ? { path: `./cold/${outName(place)}.js`, external: true } : undefined;
    });
    builder.onLoad({ filter: /^/, namespace: "apart" }, ({ path }) => {
      const loaded = APART[path]?.isCompiled
        ? `require("./signalbox.cjs").load("${path}")`
        : `require("./${path}.cjs")`;
      return { contents: `export const { ${APART[path]?.name} } = ${loaded};` };
    });
    builder.onResolve({ filter: /^\.\/\w+\.cjs$/ }, ({ path }) => ({ path, external: true }));
  },
};

/** Resolves imports of what the engine seldom needs at run time. */
const seldomParts: Plugin = {
  name: "seldom-parts",
  setup(builder) {
    builder.onResolve({ filter: /^\.{1,2}\/[\w./-]+\.ts$/ }, ({ kind, path, resolveDir }) => {
      const place = relative(join(root, "src"), join(resolveDir, path)).replace(/\.ts$/, "");
      const isApart = kind === "dynamic-import" && SELDOM.includes(place);
      return isApart ? { path: `./cold/${outName(place)}.js`, external: true } : undefined;
    });
  },
};

/**
 * Provider packages use zod's whole namespace, and with it every language of its messages: half of what must be parsed.
 */
const oneLanguage: Plugin = {
  name: "one-language",
  setup(builder) {
    builder.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: 'export { default as en } from "./en.js";',
    }));
  },
};

/**
 * The release: one CommonJS entry for what must start fast (see docs/decisions/bundle.md), modules for the rest.
 * What V8 compiled differs from build to build, so a package comes without it: `isCompiled` is false.
 * Built next to `dist` and then moved into place, so that a run during the build sees a complete release.
 */
export async function buildRelease(dist: string, isCompiled = true): Promise<void> {
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
  if (isCompiled) await compileParts(dist);
}

async function makeRelease(dist: string): Promise<void> {
  const started = new Date();
  mkdirSync(dist, { recursive: true });
  const verbs = globSync("src/commands/**/*.ts", { cwd: root, exclude: (file) => file.endsWith(".test.ts") })
    .map((file) => relative("src", file).replace(/\.ts$/, ""))
    .filter((place) => place !== APART["native"]?.place);
  const places = [...verbs, ...LATE, ...SELDOM];
  const cold = Object.fromEntries(places.map((place) => [outName(place), join(root, "src", `${place}.ts`)]));
  await Promise.all([
    build({ ...part, outdir: dist, entryPoints: { main: join(root, "src/cli.ts") }, plugins: [coldVerbs] }),
    ...Object.entries(APART).map(([name, { place, isCompiled, plugins = [] }]) =>
      build({
        ...(isCompiled ? part : commonJs),
        outdir: dist,
        entryPoints: { [name]: join(root, "src", `${place}.ts`) },
        plugins: [oneLanguage, seldomParts, ...plugins],
        inject: [JSON_READER, join(root, "scripts/headers-in-release.ts")],
        // It searches for its program relative to its own location.
        external: ["@vscode/ripgrep"],
      }),
    ),
    build({
      ...commonJs,
      outdir: dist,
      entryPoints: { serve: join(root, "src/hooks/serve.ts") },
      plugins: [hooksOfPacks],
    }),
    build({
      ...shared,
      entryPoints: cold,
      outdir: join(dist, "cold"),
      format: "esm",
      splitting: true,
      plugins: [oneLanguage],
      // Libraries in CommonJS, such as that of NATS, ask for Node's own modules.
      banner: {
        js: 'import{createRequire as requireFrom}from"node:module";const require=requireFrom(import.meta.url);',
      },
      chunkNames: "chunk-[hash]",
    }),
  ]);
  copyScripts(join(dist, "client"));
  writeRecipeTexts(join(dist, BUILT_TEXTS));
  await buildHook(dist);
  await buildLibrary(join(dist, "library"));
  await buildPage(join(dist, "page"));
  const compiled = Object.keys(APART).filter((name) => APART[name]?.isCompiled);
  for (const name of ["main", ...compiled]) finishPart(dist, name);
  // bin/signalbox compares it with the sources: one that was changed during the build is newer.
  utimesSync(writeEntry(dist), started, started);
}

/** Our own recipes as the commands that a launch gives to agents. */
function writeRecipeTexts(file: string): void {
  const { commands, problems } = recipesIn([{ path: join(root, "recipes"), origin: "bundled" }]);
  if (problems.length > 0) throw new Error(`a bundled recipe cannot be given: ${problems.join("; ")}`);
  writeFileSync(file, JSON.stringify(Object.fromEntries(commands.map(({ text }) => [text.name, text]))));
}

/** The shell scripts of the hook client, which are read when a launch or `signalbox stage` fills them in. */
function copyScripts(folder: string): void {
  mkdirSync(folder);
  const from = join(root, "src/hooks/client");
  for (const name of globSync("*.sh", { cwd: from })) copyFileSync(join(from, name), join(folder, name));
}
