import { FLOOR_DENY_WRITE } from "../rules/floors.ts";

/** Folders of the workspace that hold protected files, and the workspace itself. */
const HOLDERS = new Set(
  FLOOR_DENY_WRITE.filter((glob) => /^\.[\w-]/.test(glob)).flatMap((glob) => {
    const parts = glob.split("/").filter((part) => !part.includes("*"));
    return parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join("/"));
  }),
);

/** True for a path, as written, of a folder that may have protected files in it: the top of a workspace, `.github`. */
export function holdsProtected(path: string): boolean {
  const parts: string[] = [];
  for (const part of path.toLowerCase().split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  }
  if (parts.length === 0) return true;
  return parts.some((_, index) => HOLDERS.has(parts.slice(index).join("/")));
}
