import type { FeatureFlags } from "../../contract/feature-flags.ts";
import type { LanguageServers } from "../../contract/language-servers.ts";
import { projectServers } from "../../lsp/project-servers.ts";
import { type CommandContainment, UNCONTAINED } from "../../tools/command/contained-commands.ts";
import { commandMarks } from "../../tools/command/left-commands.ts";
import type { NativeCommandsPlace } from "./native-containment.ts";

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
