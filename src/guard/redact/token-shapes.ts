/** A secret recognized by its format. The group `secret` is replaced, or else the whole match. */
interface TokenShape {
  readonly kind: string;
  readonly pattern: RegExp;
  /** Text without this cannot match. Saves compiling a large pattern. */
  readonly hint: string | RegExp;
  /** Matches placeholders and already redacted text. */
  readonly harmless?: RegExp;
}

const HARMLESS =
  /^(?:\[redacted(?:$| [a-z-]+\])|<|\$|%|\{|\*{2,}|\.{3}|x{4,}|(?:your|my|the|example|changeme|placeholder|dummy|redacted|null|none|undefined|true|false|string|process\.env|os\.environ|secrets\.|env\.|var\.)(?![a-z0-9]{6}))/i;

const NAMES = /auth|cookie|bearer|pass|pwd|secret|token|key|credential/i;

// Each pattern starts at a boundary and repeats one class, so that each character is visited only a few times.
export const SHAPES: readonly TokenShape[] = [
  {
    kind: "private-key",
    hint: "PRIVATE KEY",
    pattern:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[A-Za-z0-9+/=\s\\:,.]|-(?!----))*(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?/g,
  },
  { kind: "github-token", pattern: /\bgh[pousr]_[A-Za-z0-9]{20,255}/g, hint: "gh" },
  { kind: "github-token", pattern: /\bgithub_pat_[A-Za-z0-9_]{20,255}/g, hint: "github_pat_" },
  { kind: "gitlab-token", pattern: /\bgl(?:pat|dt|rt|ptt|cbt)-[\w-]{20,255}/g, hint: "gl" },
  { kind: "anthropic-key", pattern: /\bsk-ant-[\w-]{16,255}/g, hint: "sk-ant-" },
  { kind: "openai-key", pattern: /\bsk-(?!ant-)(?:proj-|svcacct-|admin-|or-v1-)?[A-Za-z0-9_-]{20,255}/g, hint: "sk-" },
  { kind: "aws-key", hint: /A[KSBC][IC]A/, pattern: /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b/g },
  { kind: "google-key", pattern: /\bAIza[\w-]{35}/g, hint: "AIza" },
  { kind: "google-token", hint: /ya29|GOCSPX/, pattern: /\b(?:ya29\.[\w-]{20,1000}|GOCSPX-[\w-]{20,60})/g },
  { kind: "slack-token", pattern: /\bxox[abeoprs]-[A-Za-z0-9-]{10,255}|\bxapp-[A-Za-z0-9-]{10,255}/g, hint: "x" },
  {
    kind: "slack-webhook",
    pattern: /\bhooks\.slack\.com\/(?:services|workflows)\/[\w/]{10,200}/g,
    hint: "hooks.slack",
  },
  { kind: "npm-token", pattern: /\bnpm_[A-Za-z0-9]{30,100}/g, hint: "npm_" },
  { kind: "pypi-token", pattern: /\bpypi-[\w-]{40,500}/g, hint: "pypi-" },
  { kind: "stripe-key", hint: "k_", pattern: /\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,255}/g },
  { kind: "huggingface-token", pattern: /\bhf_[A-Za-z0-9]{30,100}/g, hint: "hf_" },
  { kind: "sendgrid-key", pattern: /\bSG\.[\w-]{16,32}\.[\w-]{16,64}/g, hint: "SG." },
  { kind: "jwt", pattern: /\beyJ[\w-]{8,4000}\.eyJ[\w-]{2,8000}\.[\w-]{0,4000}/g, hint: "eyJ" },
  {
    kind: "authorization",
    hint: NAMES,
    pattern:
      /\b(?:authorization|proxy-authorization|x-api-key|x-auth-token|private-token|(?:set-)?cookie)["']?\s{0,4}[:=]\s{0,4}["']?(?:(?:basic|bearer|token|digest|apikey)\s{1,4})?(?<secret>[^\s"',;]{4,8000})/dgi,
    harmless: HARMLESS,
  },
  {
    kind: "bearer",
    hint: NAMES,
    pattern: /\bbearer\s{1,4}(?<secret>[A-Za-z0-9._~+/=-]{16,8000})/dgi,
    harmless: HARMLESS,
  },
  {
    kind: "url-password",
    hint: "://",
    pattern: /\b[a-z][a-z0-9+.-]{1,30}:\/\/(?<secret>[^\s/?#@:"'<>]{0,200}:[^\s/?#@"'<>]{1,500})@/dgi,
    harmless: HARMLESS,
  },
  {
    kind: "url-token",
    hint: "://",
    pattern: /:\/\/(?<secret>[A-Za-z0-9_-]{16,500})@/dg,
    harmless: HARMLESS,
  },
  {
    kind: "secret",
    hint: NAMES,
    pattern:
      /(?<![a-z0-9])(?:[a-z0-9]{1,30}[_.-]){0,4}(?:password|passwd|passphrase|pwd|secret|token|api[_-]?key|apikey|access[_-]?key|secret[_-]?key|private[_-]?key|client[_-]?secret|auth[_-]?token|credentials?)(?:_?id)?["'`]?\s{0,4}(?:=>|:=|[:=])\s{0,4}["']?(?<secret>(?<=")[^"\n]{6,2000}(?=")|(?<=')[^'\n]{6,2000}(?=')|(?<!["'])[^\s"'`,;)}\]&|<>]{6,2000})/dgi,
    harmless: HARMLESS,
  },
  {
    kind: "secret",
    hint: NAMES,
    pattern:
      /(?<![\w-])--?(?:password|passwd|token|api-?key|secret|auth-?token)[= ](?<secret>[^\s"'`;|&<>-][^\s"'`;|&<>]{5,2000})/dgi,
    harmless: HARMLESS,
  },
];
