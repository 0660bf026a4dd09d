import { createHash } from "node:crypto";
import { tarGz } from "./archives.ts";
import type { Registry } from "./serve-registry.ts";

const CRATE = tarGz({
  "greeting-1.0.0/Cargo.toml": '[package]\nname = "greeting"\nversion = "1.0.0"\nedition = "2021"\n',
  "greeting-1.0.0/src/lib.rs": 'pub fn greet() -> &\'static str {\n    "hello from a crate"\n}\n',
});

/** A sparse index with one crate, `greeting` 1.0.0. Its address for cargo is `sparse+ORIGIN/index/`. */
export const cargoRegistry: Registry = (origin) => ({
  "/index/config.json": JSON.stringify({ dl: `${origin}/crates/{crate}-{version}.crate`, api: origin }),
  "/index/gr/ee/greeting": `${JSON.stringify({
    name: "greeting",
    vers: "1.0.0",
    deps: [],
    cksum: createHash("sha256").update(CRATE).digest("hex"),
    features: {},
    yanked: false,
  })}\n`,
  "/crates/greeting-1.0.0.crate": CRATE,
});
