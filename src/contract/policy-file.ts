import * as z from "zod";

const Verdict = z.enum(["allow", "ask", "deny"]);

const Token = z.string().min(1).max(500);

/** A rule over argv: one token or a list of alternatives per position. Further arguments are allowed unless `exact`. */
export const PolicyRule = z.strictObject({
  id: z.string().regex(/^[\w.:-]{1,100}$/, "an id may only contain letters, digits and .:-_"),
  tool: z.literal("shell").default("shell"),
  argv: z.array(z.union([Token, z.array(Token).min(1)])).min(1, "a rule must name at least the program"),
  exact: z.boolean().default(false),
  verdict: Verdict,
  because: z.string().max(500).optional(),
  contained: z.literal(false).optional(),
  /** What this one command may reach, beside the hosts that every command may. */
  hosts: z.array(Token).max(20).optional(),
  match: z.array(z.string()).default([]),
  not_match: z.array(z.string()).default([]),
});
export type PolicyRule = z.infer<typeof PolicyRule>;

const Texts = z.array(z.string().min(1).max(1000)).max(10_000);

const SandboxLevel = z.enum(["auto", "off", "workspace", "strict"]);

/** With a unit, because a bare number could be bytes or megabytes. */
const Size = z
  .string()
  .regex(/^[1-9]\d{0,6}[MG]$/, "a size is a whole number of megabytes or gigabytes, like 512M or 8G");

const SandboxLimits = z.strictObject({
  memory: Size.optional(),
  processes: z.int().min(16).max(1_000_000).optional(),
  tmp: Size.optional(),
});

/** A policy file. Unknown keys are rejected, because a partly understood policy cannot be enforced. */
export const PolicyFile = z.strictObject({
  version: z.literal(1),
  extends: z.enum(["default", "read-only", "ci", "none"]).optional(),
  rules: z.array(PolicyRule).max(20_000).default([]),
  paths: z
    .strictObject({
      read_roots: Texts.optional(),
      write_roots: Texts.optional(),
      deny_read: Texts.default([]),
      deny_write: Texts.default([]),
      new_repositories: Texts.default([]),
    })
    .optional(),
  network: z
    .strictObject({
      mode: z.enum(["none", "allowlist", "any"]).optional(),
      allow: Texts.default([]),
      deny: Texts.default([]),
    })
    .optional(),
  tools: z
    .strictObject({ allow: Texts.default([]), deny: Texts.default([]), require_approval_for: Texts.default([]) })
    .optional(),
  sandbox: z
    .union([SandboxLevel, z.strictObject({ level: SandboxLevel.optional(), limits: SandboxLimits.default({}) })])
    .optional(),
  env: z.strictObject({ pass: Texts.default([]) }).optional(),
});
export type PolicyFile = z.infer<typeof PolicyFile>;

/** A work order's policy. Unknown keys are rejected, because a rule we ignore is not enforced. */
export const OrderPolicy = z.strictObject({
  allowed_tools: Texts,
  disallowed_tools: Texts,
  deny_read: Texts,
  deny_write: Texts,
  allow_network: Texts,
  deny_network: Texts,
  require_approval_for: Texts,
});
export type OrderPolicy = z.infer<typeof OrderPolicy>;

/** The same, with optional lists, because a host reads orders written by others. */
export const LooseOrderPolicy = z.strictObject({
  allowed_tools: Texts.default([]),
  disallowed_tools: Texts.default([]),
  deny_read: Texts.default([]),
  deny_write: Texts.default([]),
  allow_network: Texts.default([]),
  deny_network: Texts.default([]),
  require_approval_for: Texts.default([]),
});
