import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Plugin } from "esbuild";

/** The only file that may read packs where this plugin is used, because it only needs `hooks`. */
const READER = "src/agents/find-dialect.ts";

/** Bundles only the `hooks.ts` of every agent pack, because answering hooks never starts or installs an agent. */
export const hooksOfPacks: Plugin = {
  name: "hooks-of-packs",
  setup(builder) {
    builder.onLoad({ filter: /[\\/]agents[\\/]\w+[\\/]pack\.ts$/ }, ({ path }) => {
      const folder = dirname(path);
      const agent = basename(folder);
      if (!existsSync(join(folder, "hooks.ts"))) return { contents: `export const ${agent}Pack = {};` };
      const contents = `import { ${agent}Hooks as hooks } from "./hooks.ts";\nexport const ${agent}Pack = { hooks };`;
      return { contents, resolveDir: folder };
    });
    builder.onEnd(({ metafile }) => {
      const others = Object.entries(metafile?.inputs ?? {}).filter(
        ([input, { imports }]) => input !== READER && imports.some(({ path }) => path === "src/agents/packs.ts"),
      );
      if (others.length > 0)
        throw new Error(`${others.map(([input]) => input).join(", ")} would get packs with nothing but hooks`);
    });
  },
};
