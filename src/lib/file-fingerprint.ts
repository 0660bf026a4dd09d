import { statSync } from "node:fs";

/** Changes whenever the file does, without reading its content. Throws when the file does not exist. */
export function fileFingerprint(path: string): string {
  const { dev, ino, size, mtimeMs, ctimeMs } = statSync(path);
  return [path, dev, ino, size, mtimeMs, ctimeMs].join(":");
}
