import { join } from "node:path";
import { buildRelease } from "./build-release.ts";

await buildRelease(join(import.meta.dirname, "../dist"), !process.argv.includes("--portable"));
