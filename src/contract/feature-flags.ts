/** What can be switched on and off for a start; see docs/engine.md. */
export type FeatureFlags = Readonly<Record<"autopilot" | "lsp-tools" | "disable-web-tools", boolean>>;
