import { existsSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import {
  auth,
  extractWWWAuthenticateParams,
  type OAuthClientProvider,
  UnauthorizedError,
} from "@modelcontextprotocol/sdk/client/auth.js";
import {
  OAuthClientInformationFullSchema,
  OAuthClientInformationSchema,
  OAuthTokensSchema,
} from "@modelcontextprotocol/sdk/shared/auth.js";
import * as z from "zod";
import type { McpAddress } from "../../contract/mcp-server.ts";
import type { Policy } from "../../contract/policy.ts";
import { atomicWrite } from "../../lib/files/atomic-write.ts";
import { makeFolder } from "../../lib/files/make-folder.ts";
import { randomId } from "../../lib/files/random-id.ts";
import { readBounded } from "../../lib/files/read-file.ts";
import { parseJson } from "../../lib/json/parse-json.ts";
import { sha256 } from "../../lib/json/sha256.ts";
import { shortLine } from "../../lib/text/printable.ts";
import { judgedFetch } from "./judged-fetch.ts";

interface Login {
  readonly home: string;
  readonly policy: Policy;
  /** Shows the address that the person has to open. */
  readonly show: (url: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Logs in to a server: the person opens an address, and the server's answer comes back to a port of this machine.
 * Returns whether the server wanted a login at all.
 */
export async function logIn(server: McpAddress, login: Login): Promise<boolean> {
  try {
    return await go(server, login);
  } catch (error) {
    if (login.signal.aborted) throw new Error("nobody answered in time", { cause: error });
    throw error;
  }
}

async function go(server: McpAddress, { home, policy, show, signal }: Login): Promise<boolean> {
  const { url } = server;
  const judged = judgedFetch(policy, url, true);
  // The SDK passes no signal on, and any of its requests may hang.
  const fetchFn: typeof judged = (asked, init) => judged(asked, { ...init, signal });
  const first = await fetchFn(url, greeting(server));
  await first.body?.cancel();
  if (first.status === 404 || first.status >= 500) throw new Error(`the server answers with HTTP ${first.status}`);
  if (first.status !== 401) return false;
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(first);
  const state = randomId();
  await using callback = await openCallback(state);
  const stored: { login: StoredLogin; verifier: string } = { login: { version: 1, url }, verifier: "" };
  const provider: OAuthClientProvider = {
    redirectUrl: callback.url,
    clientMetadata: clientMetadata(callback.url),
    state: () => state,
    clientInformation: () => stored.login.client,
    saveClientInformation: (client) => void (stored.login = { ...stored.login, client }),
    tokens: () => undefined,
    saveTokens: (tokens) => writeLogin(home, { ...stored.login, tokens }),
    redirectToAuthorization: (address) => show(pageOf(address)),
    saveCodeVerifier: (verifier) => void (stored.verifier = verifier),
    codeVerifier: () => stored.verifier,
  };
  const about = {
    serverUrl: url,
    fetchFn,
    ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
    ...(scope === undefined ? {} : { scope }),
  };
  if ((await auth(provider, about)) === "REDIRECT")
    await auth(provider, { ...about, authorizationCode: await callback.code(signal) });
  if (readLogin(home, url).tokens === undefined) throw new Error("the server gave no token");
  return true;
}

/** The server chooses the page. Any other address would start a program of the user's desktop. */
function pageOf({ href, protocol, username, password }: URL): string {
  const isPage = ["http:", "https:"].includes(protocol) && username === "" && password === "";
  if (isPage) return href;
  throw new Error(`the server wants a login at ${shortLine(href, 60)}, which is not a web page`);
}

/** A first request, with the headers of the configuration, as a session would send it. */
function greeting({ type, headers }: McpAddress): RequestInit {
  if (type === "sse") return { headers: { ...headers, accept: "text/event-stream" } };
  return { method: "POST", headers: { ...headers, ...JSON_HEADERS }, body: HELLO };
}

const JSON_HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const HELLO = JSON.stringify({
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "signalbox", version: "0" } },
});

interface Callback extends AsyncDisposable {
  readonly url: string;
  code(signal: AbortSignal): Promise<string>;
}

/** A port of this machine where the browser brings the code. Only an answer with our own state counts. */
async function openCallback(state: string): Promise<Callback> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  promise.catch(() => undefined);
  const server = createServer((request, response) => {
    const asked = new URL(request.url ?? "/", "http://127.0.0.1");
    const [code, error] = [asked.searchParams.get("code"), asked.searchParams.get("error")];
    const isOurs = asked.pathname === "/callback" && asked.searchParams.get("state") === state;
    response.writeHead(isOurs ? 200 : 400, { "content-type": "text/plain; charset=utf-8", connection: "close" });
    if (!isOurs) return void response.end("This is not the answer that signalbox waits for.\n");
    response.end(code === null ? "The login failed.\n" : "You are logged in. You can close this window.\n");
    if (code === null) reject(new Error(`the server refused the login: ${(error ?? "no reason").slice(0, 200)}`));
    else resolve(code);
  });
  await new Promise<void>((ready, failed) => server.once("error", failed).listen(0, "127.0.0.1", ready));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/callback`,
    code(signal) {
      const stop = () => reject(new Error("nobody answered in time"));
      if (signal.aborted) stop();
      signal.addEventListener("abort", stop, { once: true });
      return promise;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

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
function readLogin(home: string, url: string): StoredLogin {
  const none: StoredLogin = { version: 1, url };
  try {
    const stored = StoredLogin.safeParse(parseJson(readBounded(fileOf(home, url), MAX_BYTES).bytes.toString("utf8")));
    return stored.data?.url === url ? stored.data : none;
  } catch {
    return none;
  }
}

/** Only the user can read it. */
function writeLogin(home: string, login: StoredLogin): void {
  makeFolder(folderIn(home));
  atomicWrite(fileOf(home, login.url), `${JSON.stringify(login)}\n`, 0o600);
}

function forgetLogin(home: string, url: string): void {
  rmSync(fileOf(home, url), { force: true });
}

export const hasLogin = (home: string, url: string): boolean =>
  existsSync(fileOf(home, url)) && readLogin(home, url).tokens !== undefined;

/** How we introduce ourselves to a server that wants a login. */
const clientMetadata = (redirectUrl: string) => ({
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
