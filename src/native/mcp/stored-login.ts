import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type OAuthClientProvider, UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import {
  OAuthClientInformationFullSchema,
  OAuthClientInformationSchema,
  OAuthTokensSchema,
} from "@modelcontextprotocol/sdk/shared/auth.js";
import * as z from "zod";
import { atomicWrite } from "../../lib/files/atomic-write.ts";
import { makeFolder } from "../../lib/files/make-folder.ts";
import { readBoundedText } from "../../lib/files/read-file.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { sha256 } from "../../lib/json/sha256.ts";

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
    const stored = StoredLogin.safeParse(parseJson(readBoundedText(fileOf(home, url), MAX_BYTES)));
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

function forgetLogin(home: string, url: string): void {
  rmSync(fileOf(home, url), { force: true });
}

export const hasLogin = (home: string, url: string): boolean =>
  existsSync(fileOf(home, url)) && readLogin(home, url).tokens !== undefined;

/** How we introduce ourselves to a server that wants a login. */
export const clientMetadata = (redirectUrl: string) => ({
  client_name: "signalbox",
  redirect_uris: [redirectUrl],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
});

/** The tokens of an earlier login, renewed where the server allows it. A session never begins a login by itself. */
export function sessionAuth(home: string, url: string): OAuthClientProvider {
  const refuse = (): never => {
    throw new UnauthorizedError("a login is needed");
  };
  return {
    redirectUrl: "http://127.0.0.1/callback",
    clientMetadata: clientMetadata("http://127.0.0.1/callback"),
    clientInformation: () => readLogin(home, url).client ?? refuse(),
    tokens: () => readLogin(home, url).tokens,
    saveTokens: (tokens) => writeLogin(home, { ...readLogin(home, url), tokens }),
    redirectToAuthorization: refuse,
    saveCodeVerifier: () => undefined,
    codeVerifier: refuse,
    invalidateCredentials: (scope) => {
      if (scope === "all" || scope === "client" || scope === "tokens") forgetLogin(home, url);
    },
  };
}
