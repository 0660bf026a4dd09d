import { createHash } from "node:crypto";
import { tarGz } from "./archives.ts";
import type { Registry } from "./serve-registry.ts";

const MANIFEST = { name: "greeting", version: "1.0.0", main: "index.js" };
const TARBALL = tarGz({
  "package/package.json": JSON.stringify(MANIFEST),
  "package/index.js": 'module.exports = () => "hello from a package";\n',
});
const INTEGRITY = `sha512-${createHash("sha512").update(TARBALL).digest("base64")}`;

/** A registry with one package, `greeting` 1.0.0. */
export const npmRegistry: Registry = (origin) => ({
  "/greeting": JSON.stringify({
    name: "greeting",
    "dist-tags": { latest: "1.0.0" },
    versions: {
      "1.0.0": { ...MANIFEST, dist: { tarball: `${origin}/greeting/-/greeting-1.0.0.tgz`, integrity: INTEGRITY } },
    },
  }),
  "/greeting/-/greeting-1.0.0.tgz": TARBALL,
});
