import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { live, mcpPlace } from "../../../test/support/mcp-scene.ts";
import { startOAuthServer } from "../../../test/support/oauth-mcp-server.ts";
import { hasLogin, logIn } from "./login.ts";

const address = (url: string, headers = {}) => ({ type: "http", name: "docs", url, headers }) as const;

/** A person who opens the address in a browser. */
const browser = (url: string) => void fetch(url).catch(() => undefined);

function login(url: string, place = mcpPlace(), signal = AbortSignal.timeout(20_000)) {
  return logIn(address(url), { home: place.home, policy: place.policy, show: browser, signal });
}

test("a login gives tokens that only the user can read, and the server can be called", async () => {
  const { url, expire, asked } = await startOAuthServer();
  const place = mcpPlace();
  await expect(live(address(url), place).call("whoami")).rejects.toThrow(
    "the MCP server docs cannot be used: it wants a login; to log in: signalbox mcp login docs",
  );
  expect(asked).not.toContain("POST /register");
  expect([await login(url, place), hasLogin(place.home, url)]).toEqual([true, true]);
  const [file = ""] = readdirSync(join(place.home, "mcp-auth"));
  expect(statSync(join(place.home, "mcp-auth", file)).mode & 0o777).toBe(0o600);
  const { call } = live(address(url), place);
  expect(await call("whoami")).toEqual({ content: [{ type: "text", text: "you are logged in" }] });
  // Renewed without the person, in the middle of a session.
  expire();
  expect(await call("whoami")).toEqual({ content: [{ type: "text", text: "you are logged in" }] });
  expire(true);
  await expect(call("whoami")).rejects.toThrow("signalbox mcp login docs");
  expect(await login(url, place)).toBe(true);
  expect(await call("whoami")).toMatchObject({ content: [{ text: "you are logged in" }] });
});

test("a login that is refused, interrupted, or not possible fails with its reason", async () => {
  const refusing = await startOAuthServer({ refuses: true });
  await expect(login(refusing.url)).rejects.toThrow("the server refused the login: access_denied");
  const bare = await startOAuthServer({ hasMetadata: false });
  await expect(login(bare.url)).rejects.toThrow(/./);
  await expect(live(address(bare.url)).call("whoami")).rejects.toThrow("signalbox mcp login docs");
  const editors = { ...address(bare.url), isEditors: true };
  await expect(live(editors).call("whoami")).rejects.toThrow(`signalbox mcp login ${bare.url}`);
  for (const hangsAt of ["/mcp", "/.well-known/oauth-protected-resource", "/register", "/token"]) {
    const hanging = await startOAuthServer({ hangsAt });
    const began = performance.now();
    await expect(login(hanging.url, mcpPlace(), AbortSignal.timeout(300))).rejects.toThrow(/./);
    expect(performance.now() - began, hangsAt).toBeLessThan(5000);
  }
});

test("a person is shown web pages only", async () => {
  for (const authorizeAt of ["file:///etc/passwd", "ms-msdt:/id", "ssh://host/x", "https://user:word@host.example/"]) {
    const shown: string[] = [];
    const { url } = await startOAuthServer({ authorizeAt });
    const { home, policy } = mcpPlace();
    const signal = AbortSignal.timeout(5000);
    const attempt = logIn(address(url), { home, policy, show: (page) => void shown.push(page), signal });
    await expect(attempt).rejects.toThrow("which is not a web page");
    expect(shown).toEqual([]);
  }
});

test("a server cannot send a login to other machines of the user's network", async () => {
  for (const tokenAt of ["http://10.0.0.1/token", "http://169.254.169.254/token"]) {
    const { url } = await startOAuthServer({ tokenAt });
    await expect(login(url)).rejects.toThrow("is blocked");
  }
});
