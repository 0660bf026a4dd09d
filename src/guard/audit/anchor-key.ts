import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { linkSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeFolder } from "../../lib/make-folder.ts";
import { atomicWrite } from "../../lib/atomic-write.ts";
import { errorCode } from "../../lib/error-code.ts";
import { randomId } from "../../lib/random-id.ts";

const keyFile = (folder: string) => join(folder, "keys", "audit.pem");

/** The key that signs anchors: undefined if there is none, "broken" if its file contains no key. Never creates one. */
export function readAnchorKey(folder: string): KeyObject | "broken" | undefined {
  return readKey(keyFile(folder));
}

/**
 * The key that signs anchors, created on first use. A broken key file is preserved next to the new one. `prepare` gets
 * a new key before any other process can see it.
 */
export function anchorKey(folder: string, prepare: (made: KeyObject) => void): KeyObject {
  const file = keyFile(folder);
  const found = readKey(file);
  if (typeof found === "object") return found;
  if (found === "broken") setAside(file);
  makeFolder(dirname(file));
  const made = generateKeyPairSync("ed25519").privateKey;
  const temporary = `${file}.${randomId()}.new`;
  try {
    atomicWrite(temporary, made.export({ type: "pkcs8", format: "pem" }));
    prepare(made);
    // Linking fails if the name is taken, so two concurrent first runs end up with the same key.
    linkSync(temporary, file);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
  return createPrivateKey(readFileSync(file));
}

function readKey(file: string): KeyObject | "broken" | undefined {
  // An unreadable key is not a broken one. This throws, so it is not replaced.
  const text = readIfThere(file);
  if (text === undefined) return undefined;
  try {
    const key = createPrivateKey(text);
    return key.asymmetricKeyType === "ed25519" ? key : "broken";
  } catch {
    return "broken";
  }
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) return undefined;
    throw error;
  }
}

function setAside(file: string): void {
  const aside = `${file}.${randomId().slice(0, 8)}.broken`;
  renameSync(file, aside);
  // Another process may have fixed it in the meantime.
  if (typeof readKey(aside) === "object") renameSync(aside, file);
}
