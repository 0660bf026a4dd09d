import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { atomicWrite } from "../../lib/atomic-write.ts";
import { errorCode } from "../../lib/error-code.ts";
import { randomId } from "../../lib/random-id.ts";

const keyFile = (folder: string) => join(folder, "keys", "audit.pem");

/** The key that signs anchors; undefined when there is none, "broken" when its file holds none. Never makes one. */
export function readAnchorKey(folder: string): KeyObject | "broken" | undefined {
  return readKey(keyFile(folder));
}

/** The key that signs anchors, made at the first use. A file that holds none is kept beside the new one. */
export function anchorKey(folder: string): KeyObject {
  const file = keyFile(folder);
  const found = readKey(file);
  if (typeof found === "object") return found;
  if (found === "broken") setAside(file);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const made = generateKeyPairSync("ed25519").privateKey;
  const temporary = `${file}.${randomId()}.new`;
  try {
    atomicWrite(temporary, made.export({ type: "pkcs8", format: "pem" }));
    // A link takes the name only when it is free: of two first runs, both use the key of one.
    linkSync(temporary, file);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
  return createPrivateKey(readFileSync(file));
}

function readKey(file: string): KeyObject | "broken" | undefined {
  try {
    const key = createPrivateKey(readFileSync(file));
    return key.asymmetricKeyType === "ed25519" ? key : "broken";
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT") return undefined;
    // A key that may not be read is not a broken one: it must not be replaced.
    if (code === "EACCES" || code === "EPERM" || code === "EIO") throw error;
    return "broken";
  }
}

function setAside(file: string): void {
  const aside = `${file}.${randomId().slice(0, 8)}.broken`;
  renameSync(file, aside);
  // Another process may have mended it in between.
  if (typeof readKey(aside) === "object") renameSync(aside, file);
}
