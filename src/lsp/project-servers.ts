import type { LanguageServers } from "../contract/language-servers.ts";
import { findServers } from "./find/find-servers.ts";
import type { LanguageServerPlace } from "./language-server.ts";

/** The language servers of a project; undefined if there are none. What speaks with them is loaded when one is used. */
export function projectServers(place: LanguageServerPlace): LanguageServers | undefined {
  const found = findServers(place);
  if (found.length === 0) return undefined;
  let opened: Promise<LanguageServers> | undefined;
  const open = () => (opened ??= import("./open-servers.ts").then(({ openServers }) => openServers(found, place)));
  return {
    endings: found.flatMap(({ languages }) => [...languages.keys()]),
    ask: async (question, signal) => await (await open()).ask(question, signal),
    newErrors: async (change, signal) => await (await opened)?.newErrors(change, signal),
    async [Symbol.asyncDispose]() {
      await (await opened)?.[Symbol.asyncDispose]();
    },
  };
}
