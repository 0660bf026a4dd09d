import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../lib/package-root.ts";
import type { OwnFile } from "../sources/change.ts";

/** Where programs of other people look for the historical hook. */
export const XPIA_FOLDER = ".claude/tools/xpia/hooks/";

/** The historical entry points, as they are in this package. */
export const xpiaSurface = (): readonly OwnFile[] =>
  ["pre_tool_use.py", "pre_tool_use_rust.py"].map((name) => {
    const path = `${XPIA_FOLDER}${name}`;
    const content = readFileSync(join(packageRoot(), path));
    return { kind: "file", path, content, executable: true, purpose: { surface: "xpia" } };
  });
