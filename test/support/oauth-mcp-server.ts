import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import * as z from "zod";
import { parseJson } from "../../src/lib/json/parse-json.ts";

interface OAuthOptions {
  /** Whether it tells clients where to log in; one that does not only answers 401. */
  readonly hasMetadata?: boolean;
  /** What the person does when asked. */
  readonly refuses?: boolean;
  /** The endpoint that never answers. */
  readonly hangsAt?: string;
  /** Where it says that tokens are given, and that the person logs in. */
  readonly tokenAt?: string;
  readonly authorizeAt?: string;
}

/** A server on a port of this machine that ends with the test. Returns its address without a path. */
export async function serveLocally(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
}

/** An MCP server over HTTP that wants a login, with its own authorization server. */
export async function startOAuthServer(options: OAuthOptions = {}) {
  const { hasMetadata = true, hangsAt } = options;
  const desk = tokenDesk(options.refuses ?? false);
  const asked: string[] = [];
  let origin = "";
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", origin);
    asked.push(`${request.method} ${pathname}`);
    if (pathname === hangsAt) return;
    const send: Send = (status, body, more = {}) =>
      void response.writeHead(status, { "content-type": "application/json", ...more }).end(JSON.stringify(body));
    const document = hasMetadata ? metadata(pathname, origin, options) : undefined;
    if (document !== undefined) send(200, document);
    else if (pathname === "/authorize") response.writeHead(302, { location: desk.authorize(searchParams) }).end();
    else if (pathname === "/register" && hasMetadata)
      send(201, { ...z.looseObject({}).parse(parseJson(await text(request))), client_id: randomUUID() });
    else if (pathname === "/token" && hasMetadata) {
      const granted = desk.grant(new URLSearchParams(await text(request)));
      send(granted === undefined ? 400 : 200, granted ?? { error: "invalid_grant" });
    } else if (pathname !== "/mcp") send(404, {});
    else if (!desk.isKnown(request)) {
      const where = hasMetadata ? ` resource_metadata="${origin}/.well-known/oauth-protected-resource"` : "";
      send(401, {}, { "www-authenticate": `Bearer${where}` });
    } else if (request.method === "POST") rpc(parseJson(await text(request)), send);
    else send(405, {});
  };
  origin = await serveLocally((request, response) => void answer(request, response));
  return { url: `${origin}/mcp`, asked, expire: desk.expire };
}

type Send = (status: number, body: object, headers?: Record<string, string>) => void;

/** Codes with PKCE, access tokens, and refresh tokens that count once. */
function tokenDesk(refuses: boolean) {
  const [codes, access, refresh] = [new Map<string, string>(), new Set<string>(), new Set<string>()];
  return {
    authorize(query: URLSearchParams): string {
      const back = new URL(query.get("redirect_uri") ?? "");
      back.searchParams.set("state", query.get("state") ?? "");
      const code = randomUUID();
      codes.set(code, query.get("code_challenge") ?? "");
      back.searchParams.set(refuses ? "error" : "code", refuses ? "access_denied" : code);
      return back.href;
    },
    grant(form: URLSearchParams): object | undefined {
      const [code, verifier] = [form.get("code") ?? "", form.get("code_verifier") ?? ""];
      const challenge = createHash("sha256").update(verifier).digest("base64url");
      const isGranted =
        form.get("grant_type") === "refresh_token"
          ? refresh.delete(form.get("refresh_token") ?? "")
          : codes.get(code) === challenge && codes.delete(code);
      if (!isGranted) return undefined;
      const [access_token, refresh_token] = [randomUUID(), randomUUID()];
      access.add(access_token);
      refresh.add(refresh_token);
      return { access_token, refresh_token, token_type: "Bearer", expires_in: 3600 };
    },
    isKnown: ({ headers }: IncomingMessage) => access.has((headers.authorization ?? "").replace("Bearer ", "")),
    /** Access tokens count no longer, as after an hour; with `all` no refresh token does either. */
    expire: (all = false) => {
      access.clear();
      if (all) refresh.clear();
    },
  };
}

function metadata(path: string, origin: string, options: OAuthOptions): object | undefined {
  const { tokenAt = `${origin}/token`, authorizeAt = `${origin}/authorize` } = options;
  if (path.startsWith("/.well-known/oauth-protected-resource"))
    return { resource: `${origin}/mcp`, authorization_servers: [origin] };
  if (!path.startsWith("/.well-known/oauth-authorization-server")) return undefined;
  return {
    issuer: origin,
    authorization_endpoint: authorizeAt,
    token_endpoint: tokenAt,
    registration_endpoint: `${origin}/register`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
  };
}

const Rpc = z.object({ id: z.union([z.number(), z.string()]).optional(), method: z.string() });

const RESULTS: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "guarded", version: "1" },
  },
  "tools/list": { tools: [{ name: "whoami", description: "Who am I", inputSchema: { type: "object" } }] },
  "tools/call": { content: [{ type: "text", text: "you are logged in" }] },
};

/** The same server without a login. */
export const rpcServer: RequestListener = (request, response) => {
  const send: Send = (status, body) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  if (request.method === "POST") void text(request).then((body) => rpc(parseJson(body), send));
  else send(405, {});
};

function rpc(body: unknown, send: Send): void {
  const { id, method } = Rpc.parse(body);
  if (id === undefined) send(202, {});
  else send(200, { jsonrpc: "2.0", id, result: RESULTS[method] ?? {} });
}
