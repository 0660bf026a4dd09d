import { type OAuthClientProvider, UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { forgetLogin, readLogin, writeLogin } from "./token-store.ts";

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
