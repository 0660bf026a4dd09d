import { eachMatch, type Stretch } from "./view.ts";

/** Something recognized by its form rather than by a word. */
export interface Shape {
  readonly concept: string;
  readonly start: number;
  readonly end: number;
}

/** Addresses, commands, locations of secrets, role markup and similar shapes in a folded text, in order. */
export function findShapes(text: string): Shape[] {
  const shapes: Shape[] = [];
  for (const { concept, pattern, hint, keep } of PATTERNS) {
    if (hint && !text.includes(hint)) continue;
    let count = 0;
    for (const match of eachMatch(text, pattern)) {
      if (keep && !keep(text, match)) continue;
      shapes.push({ concept, start: match.index, end: match.index + match[0].length });
      if (++count >= MAX_OF_A_KIND) break;
    }
  }
  return withoutLoneTurns(shapes).sort((a, b) => a.start - b.start);
}

/** `User:` or `Assistant:` once or twice is a label; three or more make a dialogue. */
function withoutLoneTurns(shapes: Shape[]): Shape[] {
  const turns = shapes.filter((shape) => shape.concept === "turn").length;
  return turns > 2 ? shapes : shapes.filter((shape) => shape.concept !== "turn");
}

const MAX_OF_A_KIND = 2000;

interface Pattern {
  readonly concept: string;
  readonly pattern: RegExp;
  /** Text without this cannot match. A cheap check that saves most of the work. */
  readonly hint?: string;
  readonly keep?: (text: string, match: RegExpExecArray) => boolean;
}

// Every pattern is linear: no two adjacent repetitions match the same characters.
const PATTERNS: readonly Pattern[] = [
  { concept: "url", pattern: /\bh(?:tt|xx)ps?:\/\/[^\s"'<>)`\]{}]+/g, hint: "://" },
  {
    concept: "url",
    pattern: /(?<![\w.@/-])[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:com|net|org|io|dev|example|xyz|app|info|ru|cn)\b(?!\.\w)/g,
    hint: ".",
  },
  { concept: "blank", pattern: /\bhttps?:\/\/[^\s"'<>)`]+/g, hint: "://", keep: hasBlank },
  { concept: "pixel", pattern: /\[[^\]\n]{0,80}\]\(https?:[^)\s]{0,300}/g, hint: "](", keep: hasBlank },
  { concept: "pixel", pattern: /\$\([^()\n]{1,80}\)\.[a-z0-9-]{1,40}\.[a-z]{2}/g, hint: "$(" },
  { concept: "context", pattern: /[?&][a-z]{1,12}=(?:replace|insert|base64|env|contents?)_[a-z_]{2,40}/g, hint: "=" },
  {
    concept: "relay",
    pattern:
      /\b(?:from|to)"?\s?[:=>]\s?"?[\w-]{0,30}(?:agent|bot|planner|orchestrator|coder|worker)\b|[-=]> ?(?:the )?(?:worker|agent|coder|executor|sub-?agent)s?\b/g,
  },
  { concept: "email", pattern: /(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}\.[a-z]{2,24}/g, hint: "@" },
  {
    concept: "pipeShell",
    pattern: /\|\s{0,4}(?:sudo )?(?:ba|z|da|k)?sh\b|\bpipe[ _-](?:to[ _-])?(?:ba)?sh\b|<\(\s?(?:curl|wget)|\biex\b/g,
    keep: afterDownload,
  },
  {
    concept: "danger",
    pattern:
      /\brm -[rf]{1,2}\b|\/dev\/tcp|\bnc -|\| ?nc\b|\bmkfs|\bchmod (?:777|\+s)|\bnpm publish|\bgit push\b|\bnode -e|\bpython3? -c|\beval\(|os\.system|\bbase64 -d|\bprintenv|\benv \||\bcrontab|\bdrop (?:table|database)|--no-verify|reverse shell|\bscp |\/?postinst|\bpost ?install|\bxmrig|\bwhoami\b|_boot\b|\bnpx [a-z]|\bnpm i(?:nstall)? [^-`\s]|--registry|--index-url|\bbackdoor|\bmalware|\brootkit|\bkeylogger|[\w/]\.sh\b|\bwith sudo\b|\bas root\b|\bsh \.\//g,
  },
  {
    concept: "secretFile",
    pattern:
      /(?<![\w.])\.(?:env|npmrc|netrc|pypirc|pgpass|git-credentials|gitconfig|bash_history|zsh_history|config)(?![\w-]|\.\w)|\.(?:ssh|aws|kube|gnupg)(?:\/|\b)(?!\/?(?:authorized|known|[a-z0-9_]{1,20}\.pub))|\bid_(?:rsa|ed25519|ecdsa)\b(?!\.pub)|\/etc\/(?:passwd|shadow)|\bcredentials\.(?:json|csv)|\b(?:github|gitlab|gh|npm|openai|anthropic|aws|azure|gcp|google|slack|stripe|hf|huggingface|codecov|pypi|docker|vault|sentry|cloudflare|heroku|twilio|sendgrid|jwt|db|database|deploy|ci|prod)_(?:[a-z]{1,12}_){0,3}(?:key|token|secret|password|pat|url|dsn)\b|\b(?:api|secret|access|auth|private|signing)_(?:key|token)\b|\bprocess\.env\b|\bprintenv\b|\benv \| ?base64|\.docker\/config|\bkubeconfig\b|\bauth\.json|\*\.(?:pem|key)\b|\w\.(?:pem|p12|pfx|kdbx|tfstate)\b|\bhosts\.yml/g,
  },
  {
    concept: "config",
    pattern:
      /\.(?:claude|cursor|codex|gemini|vscode|copilot|aider)(?:\/|rules)|\bsettings(?:\.local)?\.json|\bmcp\.json|\bconfig\.toml|\bclaude\.md|\bagents\.md|\.bashrc|\.zshrc|\.profile\b|\bsudoers\b|\bauthorized_keys|\.git\/hooks|\.gitattributes|\ballow[ -]?list|\b(?:deny|ask)[ -]?list|\bmcpservers/g,
  },
  {
    concept: "grant",
    pattern:
      /\b(?:bash|shell|execute|run)\((?:\*|:|(?:curl|wget|sudo|sh|bash|rm|ssh|nc|python3?|node)[ :]?)\*?:?\*?\)|bypasspermissions|--dangerously|\b(?:remove|delete|drop|loosen) (?:the |all )?(?:deny|policy)|admin:(?:org|repo_hook)|every command is accepted|all of its tools|(?:approval_policy|approval[ _]mode|approval)"? ?(?:=|:|to) ?"?never|skip[ -_]?permissions|\btrusted"? ?[=:] ?"?true|\byolo\b|auto[-_ ]?approve|full[-_ ]auto|acceptedits|danger-full-access|nopasswd|\b(?:network|access|tools?) ?[=:] ?"?(?:all|any|full|unrestricted|\*)|permissions?"? ?[=:] ?\[?"?(?:\*|all|full)|allow[_ ]all|"allow"\s?:\s?\[?\s?"\*|"defaultmode"|sandbox_mode|ask_for_approval|administratoraccess|\b(?:all|full) scopes\b|cluster-admin|\b(?:widen|broaden|loosen)\b[^.\n]{0,24}\b(?:allow|permissions?|privileges?|rights|access|polic(?:y|ies)|rules?|scopes?)\b|sslverify"? ?[=:]? ?false|\b\w{0,20}(?:guard|hooks?|sandbox|approvals?|safety|permissions?)\w{0,12} ?= ?"?(?:off|0|false|none|disabled)\b|"hooks" ?: ?\{ ?\}|trust_level"? ?= ?"?trusted|default: ?allow|allow-by-default|mode (?:to )?never\b/g,
  },
  {
    concept: "selfGrant",
    pattern:
      /\b(?:grant|give|allow|add|promote|elevate)s? (?:it|your|them)sel(?:f|ves)\b|\b(?:start|restart|relaunch|remove|free|exempt|whitelist|unlock) (?:it|your|them)sel(?:f|ves)\b|\badd (?:my|me|@[\w-]{1,40})\b[^.\n]{0,30}\b(?:admin|collaborator|owner|maintainer|deploy)|\badd (?:the )?user [\w-]{1,40}\b[^.\n]{0,40}\b(?:admins?|codeowners|owners|maintainers|sudo)|\b(?:safety|approvals?|guardrails?|confirmations?|sandbox|approval_mode) ?[=:] ?"?(?:off|none|disabled|never)\b|\b(?:give|grant|make|let) (?:the |your |this )?(?:bot|agent|assistant|ai|copilot|claude|model)\b[^.,;\n]{0,20}\b(?:admin|owner|root|sudo|full access|full rights|write access|maintainer)\b/g,
  },
  {
    concept: "roleToken",
    pattern:
      /<\|[a-z_]{2,20}\|>|\[\/?inst\]|<<\/?sys>>|<\/?(?:start|end)_of_turn>|<\/?(?:tool_result|function_result|function_call|tool_call|tool_response|invoke|system-reminder|system_prompt|system-prompt|assistant_response|user_query|developer_message)s?\b|(?<![^\n])#{1,4} ?(?:system|instruction|assistant)s? ?(?:prompt|message)?:|<\/?assistant>/g,
  },
  {
    concept: "roleLabel",
    pattern:
      /(?<![\w\]])\[(?:(?:[a-z]{1,12} ){0,2}(?:system|admin|root|developer|override|directive|priority|hidden|ai note|note to ai|trusted)[a-z ]{0,24}|instructions?|assistant|user)\](?![([])|(?<!-)-{2,} ?(?:system|instructions?|override|new task|admin)[ a-z]{0,16}-{2,}|<\/?(?:hidden|secret|instructions?|override|directive)>|<\/?system>|(?<![^\n])operator:|(?<![^\n"'([{>])\s{0,4}(?:system|developer|admin) ?(?:prompt|message|notice|note|override|instruction|update|alert)?:|\bsystem (?:prompt|override|notice|message|update|alert):|"role"\s?:\s?"(?:system|developer|assistant)"|\b(?:begin|end) (?:of )?(?:the )?(?:trusted|system|user|prompt|document|input|context|untrusted|tool|trusted) (?:prompt|context|message|input|document|data|output|instructions|content|block|section)|<\/?(?:important|admin|priority|untrusted)>|系统提示[::]|\bsystem:/g,
  },
  {
    concept: "remedy",
    pattern:
      /"(?:fix|remedy|resolution|hint|solution|workaround|recovery|next_steps?)"\s?:|\b(?:hint|fix|note|resolution|workaround) ?\((?:for )?(?:the |all )?(?:agent|ai|llm|model|assistant|bot)/g,
  },
  { concept: "record", pattern: /[\w-]\.(?:md|txt|html|csv|log)\b|\bdocs\//g, hint: "." },
  {
    concept: "mode",
    pattern: /\b(?:enable|enter|activate|engage|switch to|unlock|go into|initiate) (?:the )?[a-z0-9-]{2,16} mode\b/g,
    hint: " mode",
  },
  {
    concept: "exploit",
    pattern:
      /\/dev\/tcp\/|\bnc -e|\bbash -i\b|\bmkfifo [^\n]{0,60}\bnc\b|\b(?:whoami|id|env|printenv) ?(?:>|\|) ?(?:\/tmp|curl|nc|base64)/g,
  },
  {
    concept: "leak",
    pattern:
      /\b(?:curl|wget)\b[^\n|]{0,160}?(?:\$\((?:cat|env|printenv|hostname|whoami|echo|base64|id)\b|(?:-d|-f|--data\S{0,10}|-t) ?"?@?\S{0,30}\.(?:env|ssh|aws|pem|npmrc)\b)/g,
  },
  { concept: "useTool", pattern: /\b(?:use|call|invoke|execute) (?:the )?[a-z_]{3,24} (?:tool|function|plugin)\b/g },
  {
    concept: "admin",
    pattern:
      /\b(?:create|add) (?:a |an )?(?:new )?(?:admin|root|superuser) (?:user|account)\b|\b(?:grant|give) (?:it |me |my |this |the |sender|reporter|new |full )[^.\n]{0,50}\b(?:admin|owner|root|maintainer|write|full)\b[^.\n]{0,12}\b(?:access|rights?|permissions?|privileges?)/g,
  },
  {
    concept: "turn",
    pattern:
      /(?<![^\n])\s{0,4}\[?(?:human|assistant|user|ai|bot|model|[qa]\d{0,3}|system|task|request|command|question)\]? ?: /g,
    hint: ": ",
  },
  {
    concept: "toolCall",
    pattern:
      /"(?:tool|tool_name|toolname|name|function|recipient_name)"\s?:\s?"(?:functions\.)?(?:bash|shell|exec|terminal|run_command|powershell|run_shell|run_terminal|write_file|computer)|<invoke name|<\/?(?:ai|llm|agent|bot)>|\bnext_?action|"tool_calls"|"assistant_instructions"|\b(?:directive|instructions?|message|prompt|note)s?_(?:to|for)_(?:the_)?(?:model|ai|llm|agent|assistant)|(?<![a-z0-9])(?:ai|llm|agent|assistant)[_-](?:system[_-])?(?:instruction|directive|note|command|cmd|task|prompt|override|exec|post_hook|order)s?\b/g,
  },
];

/** A URL with a placeholder to fill in: `?d={secret}`, `?k=<contents>`, `?c=` at the end. */
function hasBlank(text: string, match: RegExpExecArray): boolean {
  const next = text[match.index + match[0].length];
  const address = match[0].slice(match[0].indexOf("http"));
  return next === "<" || /[{[<]|\$[\w(]|=\.?$|=replace|=your|=insert|=base64/.test(address);
}

function afterDownload(text: string, match: RegExpExecArray): boolean {
  if (match[0].startsWith("<") || match[0] === "iex") return true;
  const before = text.slice(Math.max(0, match.index - 200), match.index);
  return /\b(?:curl|wget|fetch|irm|base64|lwp)\b/.test(before) || before.includes("http");
}

/**
 * Stretches of a folded page that a browser does not show, in order: comments, attributes, elements hidden by style.
 */
export function findHidden(text: string): Stretch[] {
  const hidden: Stretch[] = [];
  if (!text.includes("<") && !text.includes("[") && !text.includes(" text)")) return hidden;
  addComments(text, hidden);
  addReferences(text, hidden);
  addTags(text, hidden);
  return hidden.sort((a, b) => a.start - b.start).slice(0, MAX_STRETCHES);
}

const MAX_STRETCHES = 2000;

function addComments(text: string, hidden: Stretch[]): void {
  for (let open = text.indexOf("<!--"); open !== -1 && hidden.length < MAX_STRETCHES;) {
    const close = text.indexOf("-->", open + 4);
    const end = close === -1 ? text.length : close;
    hidden.push({ start: open + 4, end });
    open = close === -1 ? -1 : text.indexOf("<!--", end);
  }
}

// Markdown that renders to nothing: `[//]: # (text)`, `[comment]: <> (text)`, link titles, and footnotes.
const REFERENCE =
  /(?<![^\n])\[(?:\/\/|comment|\^[\w-]{1,20}|_[\w-]{0,20})\]: ?(?:# |<> )?[^\n]{1,2000}|\]\([^\s()]{1,500} "([^"\n]{1,1000})"\)|\([a-z ]{0,20}(?:white|hidden|invisible) text\)[^\n]{1,1000}/g;

function addReferences(text: string, hidden: Stretch[]): void {
  for (const match of eachMatch(text, REFERENCE)) {
    hidden.push({ start: match.index, end: match.index + match[0].length });
    if (hidden.length >= MAX_STRETCHES) return;
  }
}

const TAG = /<([a-z][a-z0-9]{0,15})\b([^<>]{0,2000})>?/g;

const READABLE_ATTRIBUTE =
  /\b(?:alt|title|content|value|placeholder|summary|label|aria-[a-z]{1,20}|data-[a-z-]{1,30})\s?=\s?("[^"]{8,}|'[^']{8,})/g;

const UNSEEN =
  /display\s?:\s?none|visibility\s?:\s?hidden|font-size\s?:\s?(?:0|1px|1pt)|opacity\s?:\s?0(?!\.[1-9])|(?:left|top|text-indent)\s?:\s?-\d{3}|(?:height|width)\s?:\s?0(?!\.)|color\s?:\s?(?:transparent|white|#fff)|clip(?:-path)?\s?:\s?(?:rect|inset|circle|polygon)|z-index\s?:\s?-|scale\(0\)|mso-hide|line-height\s?:\s?0(?!\.)|color\s?=\s?"?(?:white|#fff)|\shidden(?![\w-]|="false)|class="[^"]{0,60}(?:hidden|sr-only|invisible)/;

function addTags(text: string, hidden: Stretch[]): void {
  let unclosed = "";
  for (const match of eachMatch(text, TAG)) {
    if (hidden.length >= MAX_STRETCHES) return;
    const [whole, name = "", attributes = ""] = match;
    const inside = match.index + 1 + name.length;
    for (const attribute of eachMatch(attributes, READABLE_ATTRIBUTE)) {
      const from = inside + attribute.index + attribute[0].length - (attribute[1] ?? "").length + 1;
      hidden.push({ start: from, end: inside + attribute.index + attribute[0].length });
    }
    if (name === unclosed || name === "input" || name === "img" || !UNSEEN.test(attributes)) continue;
    const start = match.index + whole.length;
    const close = text.indexOf(`</${name}`, start);
    // Searching for the same missing end tag repeatedly would be quadratic.
    if (close === -1) unclosed = name;
    hidden.push({ start, end: close === -1 ? text.length : close });
  }
}
