import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const page = join(import.meta.dirname, "../page");

/** The page of `signalbox dashboard`: one script, and the files beside it. */
export async function buildPage(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await build({
    entryPoints: [join(page, "page.tsx")],
    outfile: join(folder, "page.js"),
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2023",
    jsx: "automatic",
    jsxImportSource: "preact",
  });
  for (const name of ["page.html", "page.css", "favicon.svg"]) copyFileSync(join(page, name), join(folder, name));
}
