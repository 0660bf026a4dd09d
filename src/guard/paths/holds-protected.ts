import { FLOOR_DENY_WRITE } from "../rules/floors.ts";

/** Workspace folders that contain protected files, and the workspace itself. */
const HOLDERS = new Set(
  FLOOR_DENY_WRITE.filter((glob) => /^\.[\w-]/.test(glob)).flatMap((glob) => {
    const parts = glob.split("/").filter((part) => !part.includes("*"));
    return parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join("/"));
  }),
);

/**
 * True for a path, as written, of a folder that may contain protected files, such as the workspace root or `.github`.
 */
export function holdsProtected(path: string): boolean {
  const parts: string[] = [];
  for (const part of path.toLowerCase().split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  }
  if (parts.length === 0) return true;
  return parts.some((_, index) => HOLDERS.has(parts.slice(index).join("/")));
}
