import { appendFileSync } from "node:fs";
import { messageOf } from "../../lib/message-of.ts";
import { UserError } from "../../lib/user-error.ts";
import { type IncomingRequest, userTexts } from "./script/incoming-request.ts";
import type { Played } from "./play.ts";
import type { ScriptedWireName, WireRequest } from "./wires/wire.ts";

/** One request as the server saw it, and its answer. */
export interface CapturedRequest {
  readonly at: string;
  readonly wire: ScriptedWireName;
  /** The path with its query. */
  readonly path: string;
  readonly model: string;
  readonly stream: boolean;
  /** Every user text, in order, exactly as sent. */
  readonly userTexts: readonly string[];
  readonly system: string;
  readonly toolNames: readonly string[];
  /** How many model answers the history contained. */
  readonly turn: number;
  /** The index of the scene in the script; null when none matched. */
  readonly scene: number | null;
  readonly answered: Played["answered"];
  readonly body: unknown;
}

/** A request that was rejected, with every expectation it did not meet. */
export interface FailedExpectation {
  readonly at: string;
  readonly path: string;
  readonly scene: number | null;
  readonly turn: number;
  readonly problems: readonly string[];
}

export function captured(
  raw: WireRequest & { readonly wire: ScriptedWireName },
  request: IncomingRequest,
  played: Played,
): CapturedRequest {
  return {
    at: new Date().toISOString(),
    wire: raw.wire,
    path: raw.url.pathname + raw.url.search,
    model: request.model,
    stream: request.stream,
    userTexts: userTexts(request.entries),
    system: request.system,
    toolNames: request.tools.map((tool) => tool.name),
    turn: played.turn,
    scene: played.scene,
    answered: played.answered,
    body: raw.body,
  };
}

/**
 * Appends each request to `file` as a line of JSON, before it is answered. Fails immediately when it cannot be written.
 */
export function captureFile(file: string): (request: CapturedRequest) => void {
  try {
    appendFileSync(file, "", { mode: 0o600 });
  } catch (cause) {
    const reason = messageOf(cause);
    throw new UserError(`cannot write captured requests: ${reason}`, {
      where: file,
      fix: "pass --capture a file in an existing folder you can write to",
      cause,
    });
  }
  return (request) => appendFileSync(file, `${JSON.stringify(request)}\n`);
}
