import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import {
  OAuthClientInformationFullSchema,
  OAuthClientInformationSchema,
  OAuthTokensSchema,
} from "@modelcontextprotocol/sdk/shared/auth.js";
import * as z from "zod";
import { atomicWrite } from "../../lib/atomic-write.ts";
import { makeFolder } from "../../lib/make-folder.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { readBounded } from "../../lib/read-bounded.ts";
import { sha256 } from "../../lib/sha256.ts";

const StoredLogin = z.object({
  version: z.literal(1),
  url: z.string(),
  client: z.union([OAuthClientInformationFullSchema, OAuthClientInformationSchema]).optional(),
  tokens: OAuthTokensSchema.optional(),
});

/** What is kept of a login: who we are to the server, and its tokens. */
export type StoredLogin = z.infer<typeof StoredLogin>;

const MAX_BYTES = 256 * 1024;

const folderIn = (home: string) => join(home, "mcp-auth");
const fileOf = (home: string, url: string) => join(folderIn(home), `${sha256(url).slice(0, 32)}.json`);

/** The login at this address; an empty one if there is none, or none that can be read. */
export function readLogin(home: string, url: string): StoredLogin {
  const none: StoredLogin = { version: 1, url };
  try {
    const stored = StoredLogin.safeParse(parseJson(readBounded(fileOf(home, url), MAX_BYTES).bytes.toString("utf8")));
    return stored.data?.url === url ? stored.data : none;
  } catch {
    return none;
  }
}

/** Only the user can read it. */
export function writeLogin(home: string, login: StoredLogin): void {
  makeFolder(folderIn(home));
  atomicWrite(fileOf(home, login.url), `${JSON.stringify(login)}\n`, 0o600);
}

export function forgetLogin(home: string, url: string): void {
  rmSync(fileOf(home, url), { force: true });
}

export const hasLogin = (home: string, url: string): boolean =>
  existsSync(fileOf(home, url)) && readLogin(home, url).tokens !== undefined;
