import { createHash } from "node:crypto";

/** The SHA-256 of bytes, or of a text in UTF-8. */
export const hashOf = (content: Uint8Array | string) => createHash("sha256").update(content).digest("hex");
