import { HOOK_EVENTS } from "../../agents/dialect/hook-event.ts";
import type { Dialect } from "../../contract/dialect.ts";
import { fillScript } from "./fill-script.ts";
import { refusals } from "./refusals.ts";

/** How the wrapper connects to the server: `nc` over a Unix socket, otherwise bash itself over a loopback port. */
export type HookClient =
  | { readonly kind: "nc"; readonly program: string; readonly socket: string }
  | { readonly kind: "bash"; readonly program: string; readonly port: number };

export interface WrapperParts {
  readonly dialect: Dialect;
  readonly client: HookClient | undefined;
  /** Absolute paths, so that a call never searches PATH. */
  readonly node: string;
  readonly bundle: string;
  readonly settings: string;
  readonly token: string;
  readonly seal: string;
  /** A program and its arguments that kill the bundle if it hangs. */
  readonly deadline: readonly string[];
  readonly seconds: number;
}

const NO_ANSWER = "Blocked: signalbox did not answer. Tell the user that the guard is broken.";

/** The script that an agent calls. Reads its input once, asks the server, then the bundle, and refuses if both fail. */
export function wrapperText(parts: WrapperParts): string {
  const { dialect, client, node, bundle, settings, token, seal, deadline } = parts;
  const events = HOOK_EVENTS.filter((event) => dialect.events[event] !== undefined);
  const values = {
    ...refusals(dialect, events, NO_ANSWER),
    TOKEN: token,
    SEAL: seal,
    SECONDS: String(parts.seconds),
    BUNDLE: [...deadline, node, bundle, "--settings", settings],
  };
  if (client?.kind === "bash")
    return fillScript("launch-bash", { ...values, BASH: client.program, PORT: String(client.port) });
  return fillScript("launch-sh", {
    ...values,
    NC: client === undefined ? [] : [...deadline, client.program],
    SOCKET: client?.socket ?? "",
  });
}
