import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build, type BuildOptions, type Metafile, type Plugin } from "esbuild";
import { hooksOfPacks } from "./hooks-of-packs.ts";

const root = join(import.meta.dirname, "..");

/** Lets Node store the compiled code of the bundle next to it, which saves 5 ms of a hook's 45. */
const HOOK_ENTRY = `"use strict";
require("node:module").enableCompileCache(__dirname + "/cache");
require("./hook-main.cjs");
`;

/** Calls that together load every part, so that the compiled code exists before the first real call. */
const WARMING = ["pwd", "npm test", "git commit -m 'Say in a few words what was changed'"];

/** Parts that a plain command does not need. Each is a separate file, loaded on first use. */
const LATER: Record<string, { readonly from: RegExp; readonly path: string; readonly names: readonly string[] }> = {
  "hook-parse": { from: /^unbash$/, path: "node_modules/unbash/dist/parser.js", names: ["parse", "forEachChild"] },
  "hook-git": {
    from: /programs\/git-program\.ts$|^\.\/git-program\.ts$/,
    path: "src/shell/programs/git-program.ts",
    names: ["gitProgram", "gitEffects"],
  },
  "hook-tools": {
    from: /programs\/tool-program\.ts$|^\.\/tool-program\.ts$/,
    path: "src/shell/programs/tool-program.ts",
    names: ["toolProgram"],
  },
  // Only Codex needs it, where it does not say which shell it will use.
  "hook-traced": { from: /^\.\/transcript\.ts$/, path: "src/agents/codex/transcript.ts", names: ["tracedArguments"] },
  // Only a session with a sandbox needs these.
  "hook-hold": {
    from: /\/hold-finding\.ts$/,
    path: "src/guard/contain/hold-finding.ts",
    names: ["holdFinding", "taintInside"],
  },
  "hook-output": { from: /\/build-output\.ts$/, path: "src/guard/contain/build-output.ts", names: ["isBuildOutput"] },
  "hook-changes": {
    from: /\/git-changes\.ts$/,
    path: "src/guard/machine/git-changes.ts",
    names: ["gitAltered", "gitChanges", "gitTracked"],
  },
  "hook-checkout": {
    from: /\/checked-out\.ts$/,
    path: "src/guard/examine/checked-out.ts",
    names: ["checkedOut", "listedEffects"],
  },
  "hook-outside": { from: /programs\/outside\.ts$/, path: "src/shell/programs/outside.ts", names: ["outsideEffects"] },
  "hook-own": {
    from: /\/match-own-rules\.ts$/,
    path: "src/guard/match-own-rules.ts",
    names: ["firstMatch", "ownRulesPolicy"],
  },
  // Only a call that is not allowed needs this.
  "hook-explain": {
    from: /\/explain\.ts$/,
    path: "src/guard/explain.ts",
    names: ["explainToModel", "explainChoices"],
  },
  "hook-archives": {
    from: /\/archives\.ts$/,
    path: "src/shell/programs/archives.ts",
    names: ["archiveEffects", "zipEffects"],
  },
  // Only a call that asks to leave the sandbox needs this.
  // Only a call of a recipe needs these.
  // Only a call that opens a skill needs this.
  // Only a call that applies a patch needs this.
  "hook-awk": {
    from: /\/awk-sed-jq\.ts$/,
    path: "src/shell/programs/awk-sed-jq.ts",
    names: ["awkEffects", "sedEffects", "jqEffects"],
  },
  "hook-call": {
    from: /\/outside-call\.ts$/,
    path: "src/hooks/outside-call.ts",
    names: ["withoutPlanted", "sessionRecipe"],
  },
  // Only an agent that reports an event to several wrappers needs this.
  "hook-answered": {
    from: /\/repeated-events\.ts$/,
    path: "src/hooks/repeated-events.ts",
    names: ["rememberEvent", "takeAnsweredEvent"],
  },
  // Only a call that asks to leave the sandbox, or starts a recipe, needs this.
  "hook-leave": {
    from: /\/signalbox-calls\.ts$/,
    path: "src/guard/signalbox-calls.ts",
    names: ["leaveSandbox", "recipePolicy"],
  },
  // Only a call that opens a skill or applies a patch needs this.
  "hook-mentions": {
    from: /\/paths-in-text\.ts$/,
    path: "src/guard/judge/paths-in-text.ts",
    names: ["mentionedPaths", "patchPaths"],
  },
  // Only Copilot needs this.
  "hook-texts": { from: /\/leading-text\.ts$/, path: "src/agents/copilot/leading-text.ts", names: ["leadingText"] },
  // Only a project with hooks needs this.
  "hook-run": { from: /\/run-hook\.ts$/, path: "src/hooks/project/run-hook.ts", names: ["runHook"] },
  "hook-screen": { from: /screen\/screen\.ts$/, path: "src/guard/screen/screen.ts", names: ["screen"] },
};

const loadLater: Plugin = {
  name: "load-later",
  setup(builder) {
    for (const [file, { from, names }] of Object.entries(LATER)) {
      builder.onResolve({ filter: from }, () => ({ path: file, namespace: "later" }));
      builder.onLoad({ filter: new RegExp(`^${file}$`), namespace: "later" }, () => ({
        contents: names
          .map((name) => `export const ${name} = (...args) => require("./${file}.cjs").${name}(...args);`)
          .join("\n"),
      }));
    }
    builder.onResolve({ filter: /^\.\/hook-\w+\.cjs$/ }, ({ path }) => ({ path, external: true }));
  },
};

/**
 * The fallback for hooks: the judge in one small file without YAML and schemas, with rarely needed parts next to it.
 */
export async function buildHook(outdir: string): Promise<Metafile> {
  const options: BuildOptions = {
    bundle: true,
    // As in scripts/build-release.ts.
    preserveSymlinks: true,
    platform: "node",
    target: "esnext",
    minify: true,
    charset: "utf8",
    legalComments: "none",
    outdir,
    outExtension: { ".js": ".cjs" },
    format: "cjs",
  };
  const later = Object.fromEntries(Object.entries(LATER).map(([file, { path }]) => [file, join(root, path)]));
  const [{ metafile }] = await Promise.all([
    build({
      ...options,
      metafile: true,
      entryPoints: { "hook-main": join(root, "src/hooks/hook.ts") },
      plugins: [loadLater, hooksOfPacks],
    }),
    build({ ...options, entryPoints: later }),
  ]);
  writeFileSync(join(outdir, "hook.cjs"), HOOK_ENTRY);
  const heavy = Object.keys(metafile.inputs).filter((input) =>
    /node_modules\/(?:zod|yaml)\/|src\/contract\//.test(input),
  );
  if (heavy.length > 0) throw new Error(`the hook bundle must stay small, but contains ${heavy.join(", ")}`);
  warmHook(outdir);
  return metafile;
}

/** Shows that the bundle works, and leaves its compiled code, which is valid only in this folder. */
export function warmHook(outdir: string): void {
  for (const command of WARMING) warm(outdir, command);
}

function warm(outdir: string, command: string): void {
  const home = mkdtempSync(join(tmpdir(), "signalbox-build-"));
  const cwd = join(home, "project");
  // Its own repository, because otherwise one created in a folder above would be the workspace.
  mkdirSync(join(cwd, ".git"), { recursive: true });
  const call = JSON.stringify({ tool_name: "Bash", tool_input: { command }, cwd });
  const options = { env: { HOME: home, SIGNALBOX_HOME: join(home, ".signalbox") }, encoding: "utf8" } as const;
  const { stdout, stderr } = spawnSync(process.execPath, [join(outdir, "hook.cjs"), call], options);
  rmSync(home, { recursive: true, force: true });
  if (stdout !== "{}\n") throw new Error(`the hook bundle does not work: ${stdout}${stderr}`);
}
