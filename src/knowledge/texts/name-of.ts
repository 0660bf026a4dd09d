import { relative } from "node:path";
import { isInside } from "../../lib/inside.ts";
import type { KnowledgePlace } from "../../contract/knowledge-place.ts";

/** A path as people know it: relative to the workspace, or with `~`, or absolute. */
export function nameOf(path: string, { workspace, userHome }: Pick<KnowledgePlace, "workspace" | "userHome">): string {
  if (isInside(path, workspace)) return relative(workspace, path);
  return isInside(path, userHome) ? `~/${relative(userHome, path)}` : path;
}
