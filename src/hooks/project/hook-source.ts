import type { HookEventName } from "../../contract/hook-event.ts";

/** Where a hook comes from. `xpia` and `repository` come with a repository; `home` is the user's own. */
export type HookOrigin = "home" | "repository" | "xpia";

/** A program that runs on an event. Registered once, at the start; if it is missing later, that is a failure. */
export interface RegisteredHook {
  readonly event: HookEventName;
  readonly name: string;
  readonly origin: HookOrigin;
  /** The file whose content was trusted. */
  readonly file: string;
  /** The hash of that content. A repository's hook does not run if its content has changed. */
  readonly hash: string;
  /** The command: the file itself, or an interpreter and the file. */
  readonly argv: readonly string[];
  /** It is about stops, and runs at the end of a session only if the session reported none. */
  readonly atStop?: true;
}

/** The result of one hook: the object that it printed, or why there is no valid answer. */
export type HookResult = { readonly hook: Pick<RegisteredHook, "name" | "origin"> } & (
  | { readonly said: Readonly<Record<string, unknown>> }
  | { readonly failed: string }
);
