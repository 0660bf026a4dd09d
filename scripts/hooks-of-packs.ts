import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Plugin } from "esbuild";

/** The one file that may read packs where this plugin is used: it asks for nothing but `hooks`. */
const READER = "src/agents/find-dialect.ts";

/** Of every agent's pack the bundle gets its `hooks.ts` alone: what answers hooks never starts or installs an agent. */
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
        throw new Error(`${others.map(([input]) => input).join(", ")} would get packs without anything but hooks`);
    });
  },
};
