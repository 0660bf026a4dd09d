import type { FeatureFlags } from "../../contract/engine-settings.ts";
import type { LanguageServers } from "../../contract/language-servers.ts";
import { type CommandContainment, UNCONTAINED } from "../../sandbox/run/contained-commands.ts";
import { commandMarks } from "../../sandbox/run/left-commands.ts";
import { findServers } from "../lsp/find-servers.ts";
import type { LanguageServerPlace } from "../lsp/language-server.ts";
import type { NativeCommandsPlace } from "./session-containment.ts";

interface LanguagePlace extends NativeCommandsPlace {
  readonly flags: FeatureFlags;
  readonly version: string;
}

/** The language servers of a session. They run only in a sandbox, because many of them run code of the project. */
export function nativeLanguageServers(
  { flags, policy, environment, home, version }: LanguagePlace,
  containment: CommandContainment,
): LanguageServers | undefined {
  if (!flags["lsp-tools"] || containment === UNCONTAINED) return undefined;
  const { workspaceRoot: workspace } = policy;
  return projectServers({ workspace, environment, containment, policy, marksFolder: commandMarks(home), version });
}

/** The language servers of a project; undefined if there are none. What speaks with them is loaded when one is used. */
export function projectServers(place: LanguageServerPlace): LanguageServers | undefined {
  const found = findServers(place);
  if (found.length === 0) return undefined;
  let opened: Promise<LanguageServers> | undefined;
  const open = () =>
    (opened ??= import("../lsp/language-server.ts").then(({ openServers }) => openServers(found, place)));
  return {
    endings: found.flatMap(({ languages }) => [...languages.keys()]),
    ask: async (question, signal) => await (await open()).ask(question, signal),
    newErrors: async (change, signal) => await (await opened)?.newErrors(change, signal),
    async [Symbol.asyncDispose]() {
      await (await opened)?.[Symbol.asyncDispose]();
    },
  };
}
