import type { HookEventName } from "../../contract/hook-event.ts";

/** Whose hook it is. `xpia` and `repository` come with a repository; `home` is the user's own. */
export type HookOrigin = "home" | "repository" | "xpia";

/** A program that wants to be asked at an event. Registered once, at the start; one that is missing later is a failure. */
export interface RegisteredHook {
  readonly event: HookEventName;
  readonly name: string;
  readonly origin: HookOrigin;
  /** The file whose content was trusted. */
  readonly file: string;
  /** Hash of that content; a repository's hook with another content does not run. */
  readonly hash: string;
  /** What is started: the file itself, or an interpreter with it. */
  readonly argv: readonly string[];
}

/** What one hook said: the object that it printed, or why it has no valid answer. */
export type HookResult = { readonly hook: Pick<RegisteredHook, "name" | "origin"> } & (
  | { readonly said: Readonly<Record<string, unknown>> }
  | { readonly failed: string }
);
