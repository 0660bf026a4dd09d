import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import * as z from "zod";
import type { CodeOperation } from "../../src/contract/language-servers.ts";
import type { FoundServer } from "../../src/native/lsp/find-servers.ts";
import { type LanguageSetup, languageServer } from "../../src/native/lsp/language-server.ts";
import { readIfThere } from "../../src/lib/files/read-file.ts";
import { tempFolder } from "./temp-folder.ts";

/** The language server that misbehaves as it is told; see its kinds. */
const LSP_SERVER = join(import.meta.dirname, "lsp-server.mjs");

const Noted = z.object({ pid: z.number().optional(), method: z.string().optional(), params: z.unknown() }).partial();

/** It as a server of a workspace with one file, ended with the test. It runs without the sandbox that it asks for. */
export function liveScene(kind = "plain", more: Partial<LanguageSetup> = {}) {
  const [workspace, notes] = [tempFolder(), join(tempFolder(), "notes")];
  const file = join(workspace, "a.ts");
  writeFileSync(file, "one\ntwo\n");
  const found: FoundServer = {
    name: "small",
    program: process.execPath,
    args: [LSP_SERVER, kind, notes],
    languages: new Map([[".ts", "typescript"]]),
  };
  const server = languageServer(found, {
    workspace,
    environment: process.env,
    containment: { place: async () => {}, argv: async (_, bare) => ({ argv: bare, inside: true }) },
    policy: { home: tempFolder(), paths: { readRoots: [] } },
    marksFolder: tempFolder(),
    version: "1.2.3",
    ...more,
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const never = new AbortController().signal;
  return {
    workspace,
    file,
    server,
    ask: (operation: CodeOperation, text = "one\ntwo\n", signal = never) =>
      server.ask({ operation, path: file, text, position: { line: 1, column: 2 } }, signal),
    change: (before: string | null, after: string) => {
      writeFileSync(file, after);
      return server.newErrors({ path: file, before, after }, never);
    },
    /** Every message that the server got, after its process id. */
    noted: () =>
      (readIfThere(notes)?.toString("utf8") ?? "")
        .split("\n")
        .filter(Boolean)
        .map((line) => Noted.parse(JSON.parse(line))),
  };
}
