import { isRecord } from "../../lib/is-record.ts";
import { shortLine } from "../../lib/short-line.ts";

/** What a request gets: a result, or an error of JSON-RPC. */
export type Reply =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } };

const METHOD_NOT_FOUND = -32601;
const MAX_ITEMS = 1000;

/** Answers what a server asks of us. It gets no settings, changes no file, and asks nobody. */
export function answerServer(method: string, params: unknown): Reply {
  switch (method) {
    case "workspace/configuration": {
      const items = isRecord(params) && Array.isArray(params["items"]) ? params["items"] : [];
      return { result: Array.from({ length: Math.min(items.length, MAX_ITEMS) }, () => null) };
    }
    case "workspace/applyEdit":
      return { result: { applied: false, failureReason: "signalbox does not let language servers change files" } };
    case "window/showDocument":
      return { result: { success: false } };
    case "workspace/workspaceFolders":
    case "window/showMessageRequest":
    case "window/workDoneProgress/create":
    case "client/registerCapability":
    case "client/unregisterCapability":
    case "workspace/diagnostic/refresh":
    case "workspace/semanticTokens/refresh":
    case "workspace/inlayHint/refresh":
    case "workspace/codeLens/refresh":
      return { result: null };
    default:
      return { error: { code: METHOD_NOT_FOUND, message: `signalbox does not offer ${shortLine(method, 60)}` } };
  }
}
