import { sep } from "node:path";

/** Whether `path` is `folder` or inside it. Both must be absolute and normalized; the disk is not read. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
