import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isRecord } from "../lib/json/json-value.ts";
import { PACKS } from "./packs.ts";

test.each(PACKS.map(({ program, hooks }) => [program.name, hooks] as const))(
  "the hook bundle finds the hooks of %s in its hooks.ts",
  async (name, hooks) => {
    const file = join(import.meta.dirname, name, "hooks.ts");
    const exported: unknown = existsSync(file) ? await import(file) : {};
    expect(isRecord(exported) ? { ...exported } : exported).toMatchObject(
      hooks === undefined ? {} : { [`${name}Hooks`]: hooks },
    );
    expect(hooks?.dialect.name ?? name).toBe(name);
  },
);
