import { statSync } from "node:fs";

/** Changes whenever the file does, without reading it. Throws when there is none. */
export function fileFingerprint(path: string): string {
  const { dev, ino, size, mtimeMs, ctimeMs } = statSync(path);
  return [path, dev, ino, size, mtimeMs, ctimeMs].join(":");
}
