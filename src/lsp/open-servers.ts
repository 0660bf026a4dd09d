import type { LanguageServers } from "../contract/language-servers.ts";
import type { FoundServer } from "./find/find-servers.ts";
import { type LanguageServerPlace, languageServer } from "./language-server.ts";
import { endingOf } from "./read/file-address.ts";

/** The language servers of a session, of which each starts with the first question about one of its files. */
export function openServers(found: readonly FoundServer[], place: LanguageServerPlace): LanguageServers {
  const live = found.map((server) => ({ server, live: languageServer(server, place) }));
  const liveFor = (path: string) => live.find(({ server }) => server.languages.has(endingOf(path)))?.live;
  const endings = found.flatMap(({ languages }) => [...languages.keys()]);
  return {
    endings,
    async ask(question, signal) {
      const server = liveFor(question.path);
      if (server === undefined)
        throw new Error(`no language server here knows this kind of file, only ${endings.join(" ")}`);
      return await server.ask(question, signal);
    },
    newErrors: async (change, signal) => await liveFor(change.path)?.newErrors(change, signal),
    async [Symbol.asyncDispose]() {
      await Promise.all(live.map((each) => each.live[Symbol.asyncDispose]()));
    },
  };
}
