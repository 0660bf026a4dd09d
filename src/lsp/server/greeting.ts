import * as z from "zod";
import { fileAddress } from "../read/file-address.ts";

/** What a server offers, as far as we use it. */
export interface Offered {
  readonly definition: boolean;
  readonly references: boolean;
  readonly hover: boolean;
  readonly symbols: boolean;
  /** Whether it can be asked for diagnostics; otherwise it reports them by itself. */
  readonly asksDiagnostics: boolean;
}

/** The parameters of the first request. We can show results and nothing else. */
export const greeting = (workspace: string, version: string, options: object = {}) => ({
  initializationOptions: options,
  // A server in a sandbox does not see our process, and would end because it is gone.
  processId: null,
  clientInfo: { name: "signalbox", version },
  rootUri: fileAddress(workspace),
  workspaceFolders: [{ uri: fileAddress(workspace), name: "workspace" }],
  capabilities: {
    general: { positionEncodings: ["utf-16"] },
    window: { workDoneProgress: true },
    workspace: { configuration: true, workspaceFolders: true, applyEdit: false },
    textDocument: {
      synchronization: { didSave: true },
      definition: { linkSupport: true },
      references: {},
      hover: { contentFormat: ["plaintext", "markdown"] },
      documentSymbol: { hierarchicalDocumentSymbolSupport: true },
      publishDiagnostics: { versionSupport: true },
      diagnostic: {},
    },
  },
});

const Provider = z
  .unknown()
  .optional()
  .transform((value) => value !== undefined && value !== null && value !== false);
const Greeted = z.object({
  capabilities: z.object({
    definitionProvider: Provider,
    referencesProvider: Provider,
    hoverProvider: Provider,
    documentSymbolProvider: Provider,
    diagnosticProvider: Provider,
    positionEncoding: z.literal("utf-16").optional(),
  }),
});

/** Reads the answer to the greeting. Throws if it is none. */
export function readOffered(result: unknown): Offered {
  const { data } = Greeted.safeParse(result);
  if (data === undefined) throw new Error("its answer to the first request is not one of a language server");
  const { capabilities } = data;
  return {
    definition: capabilities.definitionProvider,
    references: capabilities.referencesProvider,
    hover: capabilities.hoverProvider,
    symbols: capabilities.documentSymbolProvider,
    asksDiagnostics: capabilities.diagnosticProvider,
  };
}
