import { zip } from "./archives.ts";
import type { Registry } from "./serve-registry.ts";

const MODULE = "example.com/greeting";
const DEFINITION = `module ${MODULE}\n\ngo 1.16\n`;

/** A module proxy with one module, `example.com/greeting` v1.0.0. */
export const goRegistry: Registry = () => ({
  [`/${MODULE}/@v/list`]: "v1.0.0\n",
  [`/${MODULE}/@v/v1.0.0.info`]: JSON.stringify({ Version: "v1.0.0", Time: "2026-01-01T00:00:00Z" }),
  [`/${MODULE}/@v/v1.0.0.mod`]: DEFINITION,
  [`/${MODULE}/@v/v1.0.0.zip`]: zip({
    [`${MODULE}@v1.0.0/go.mod`]: DEFINITION,
    [`${MODULE}@v1.0.0/greeting.go`]: 'package greeting\n\nfunc Greet() string {\n\treturn "hello from a module"\n}\n',
  }),
});
