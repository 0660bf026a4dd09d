import { sep } from "node:path";

/** Whether `path` is `folder` or lies below it. Both must be absolute and normal; nothing is read from disk. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
