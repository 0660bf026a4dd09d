import { createServer } from "node:http";
import { auth, extractWWWAuthenticateParams, type OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import type { McpAddress } from "../../contract/mcp-server.ts";
import type { Policy } from "../../contract/policy.ts";
import { randomId } from "../../lib/files/random-id.ts";
import { shortLine } from "../../lib/text/printable.ts";
import { judgedFetch } from "./judged-fetch.ts";
import { clientMetadata, readLogin, type StoredLogin, writeLogin } from "./stored-login.ts";

interface LoginParts {
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
export async function logIn(server: McpAddress, parts: LoginParts): Promise<boolean> {
  try {
    return await go(server, parts);
  } catch (error) {
    if (parts.signal.aborted) throw new Error("nobody answered in time", { cause: error });
    throw error;
  }
}

async function go(server: McpAddress, { home, policy, show, signal }: LoginParts): Promise<boolean> {
  const { url } = server;
  const judged = judgedFetch({ policy, configured: url, asksOthers: true });
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
