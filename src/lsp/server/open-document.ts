import type { ServerLink } from "../wire/server-link.ts";
import { fileAddress } from "../read/file-address.ts";
import type { SourceChange } from "./source-changes.ts";
import type { ProblemBook } from "./problem-book.ts";

interface Document {
  readonly path: string;
  readonly text: string;
  readonly language: string;
}

/**
 * Shows a server one document at a time. Everything else it reads from disk, so that it never works with an old text
 * of a file that a command has changed.
 */
export function openDocument(link: ServerLink, book: ProblemBook) {
  let open: Document | undefined;
  let version = 0;
  const close = () => {
    if (open !== undefined) link.notify("textDocument/didClose", { textDocument: { uri: fileAddress(open.path) } });
    open = undefined;
  };
  return {
    /** Makes this the open document, with this text. */
    show(document: Document) {
      const { path, text, language } = document;
      if (open?.path === path && open.text === text) return;
      book.expect({ path, version: ++version });
      const textDocument = { uri: fileAddress(path), version };
      if (open?.path === path) link.notify("textDocument/didChange", { textDocument, contentChanges: [{ text }] });
      else {
        close();
        link.notify("textDocument/didOpen", { textDocument: { ...textDocument, languageId: language, text } });
      }
      open = document;
    },
    /** Tells the server that its text is now on disk. */
    saved() {
      if (open !== undefined) link.notify("textDocument/didSave", { textDocument: { uri: fileAddress(open.path) } });
    },
    /** Tells the server what has changed on disk. What was reported about the open document may be wrong now. */
    changed(files: readonly SourceChange[]) {
      if (files.length === 0) return;
      const changes = files.map(({ path, type }) => ({ uri: fileAddress(path), type }));
      link.notify("workspace/didChangeWatchedFiles", { changes });
      if (files.some(({ path }) => path !== open?.path)) close();
    },
  };
}
