import type { McpServer } from "../../contract/mcp-server.ts";
import { stopOnSignal } from "../../hosts/native/stop-on-signal.ts";
import { signalboxHome } from "../../lib/home-folder.ts";
import { messageOf } from "../../lib/message-of.ts";
import { refuseInSandbox } from "../../lib/refuse-in-sandbox.ts";
import { EXIT, UserError } from "../../lib/user-error.ts";
import { logIn } from "../../mcp/auth/login.ts";
import { sessionPolicy } from "../active-policy.ts";
import type { CommandInput } from "../command-module.ts";
import { findServer } from "./find-server.ts";

const WAIT_MS = 300_000;

/** `signalbox mcp login`. The tokens are kept in the user's signalbox folder, readable for the user alone. */
export async function login({ words, flags }: CommandInput): Promise<number> {
  refuseInSandbox("nobody can log in inside a session", "run this in your own terminal");
  const server = addressOf(words[1]) ?? findServer("login", words[1]);
  if (server.type === "stdio")
    throw new UserError(`${server.name} is a program, which needs no login here`, {
      where: "signalbox mcp login",
      fix: "give it what it needs by env in its configuration",
    });
  using stop = stopOnSignal();
  const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(WAIT_MS)]);
  try {
    const wanted = await logIn(server, {
      home: signalboxHome(),
      policy: sessionPolicy(flags),
      show: (url) => process.stdout.write(`Open this address in your browser, and allow signalbox:\n${url}\n`),
      signal,
    });
    process.stdout.write(wanted ? `logged in to ${server.name}\n` : `${server.name} wants no login\n`);
    return EXIT.ok;
  } catch (error) {
    const code = stop.code();
    if (code !== undefined) return code;
    throw new UserError(`the login to ${server.name} failed: ${messageOf(error)}`, {
      where: server.url,
      fix: "try again; if the server offers no OAuth, add its key as a header: signalbox mcp add --help",
      exitCode: EXIT.failed,
      cause: error,
    });
  }
}

/** A server that only an editor knows is named by its address; logins are kept by address. */
const addressOf = (word = ""): McpServer | undefined =>
  /^https?:\/\//.test(word) && URL.canParse(word) ? { type: "http", name: word, url: word, headers: {} } : undefined;
