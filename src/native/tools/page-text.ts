/** Elements whose content is not displayed. */
const SILENT = new Set("script style noscript template svg iframe object head nav textarea".split(" "));

const BLOCKS = new Set(
  "p div section article main header footer aside h1 h2 h3 h4 h5 h6 ul ol li table tr pre blockquote br hr dl dt dd form figure details summary".split(
    " ",
  ),
);

const VOID = new Set("area base br col embed hr img input link meta source track wbr".split(" "));

/** Elements without a closing tag. */
const LOOSE = new Set("p li dt dd tr td th option".split(" "));

/** Text that a page hides from people is not passed to models either: it is a common way to smuggle in instructions. */
const HIDDEN = /display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])|opacity\s*:\s*0(?![.\d])/i;

const MARKS: Readonly<Record<string, string>> = {
  h1: "# ",
  h2: "## ",
  h3: "### ",
  h4: "#### ",
  li: "- ",
  td: " | ",
  th: " | ",
};

/** What a person would read on an HTML page, with its headings, list marks and links. */
export function pageText(html: string, base: string): string {
  const page: Page = { base, out: [], links: [], title: "", inTitle: false, pre: 0, silent: undefined };
  for (const token of htmlTokens(html)) {
    if (token.kind === "text") addText(page, token.text);
    else if (token.kind === "open") openTag(page, token.name, token.attributes);
    else closeTag(page, token.name);
  }
  const [title, body] = [page.title.trim(), tidy(page.out.join(""))];
  return title === "" ? body : `${title}\n\n${body}`;
}

interface Page {
  readonly base: string;
  readonly out: string[];
  readonly links: (string | undefined)[];
  title: string;
  inTitle: boolean;
  pre: number;
  /** The hidden element, and how many elements of its name are open inside each other. */
  silent: { readonly name: string; depth: number } | undefined;
}

function addText(page: Page, text: string): void {
  if (page.inTitle) page.title += text.replace(/\s+/g, " ");
  else if (page.silent === undefined) page.out.push(page.pre > 0 ? text : text.replace(/\s+/g, " "));
}

function openTag(page: Page, name: string, attributes: string): void {
  page.inTitle = name === "title";
  if (page.silent?.name === name && LOOSE.has(name)) page.silent = undefined;
  if (page.silent !== undefined) {
    if (page.silent.name === name) page.silent.depth++;
    return;
  }
  if (isSilent(name, attributes)) page.silent = { name, depth: 1 };
  else showTag(page, name, attributes);
}

function isSilent(name: string, attributes: string): boolean {
  if (VOID.has(name) || attributes.endsWith("/")) return false;
  const hidden = attribute(attributes, "hidden") !== undefined || HIDDEN.test(attribute(attributes, "style") ?? "");
  return SILENT.has(name) || hidden;
}

function showTag(page: Page, name: string, attributes: string): void {
  if (name === "pre") page.pre++;
  if (BLOCKS.has(name)) page.out.push("\n");
  page.out.push(MARKS[name] ?? "");
  if (name === "img") page.out.push(attribute(attributes, "alt") ?? "");
  if (name !== "a") return;
  const href = absolute(attribute(attributes, "href"), page.base);
  page.links.push(href);
  page.out.push(href === undefined ? "" : "[");
}

function closeTag(page: Page, name: string): void {
  page.inTitle = false;
  const { silent } = page;
  if (silent !== undefined) {
    const implied = LOOSE.has(silent.name) && /^(?:ul|ol|dl|table|div|section|article|body)$/.test(name);
    if (silent.name === name) silent.depth--;
    if (silent.depth === 0 || implied) page.silent = undefined;
    return;
  }
  if (name === "pre" && page.pre > 0) page.pre--;
  if (name === "a") {
    const href = page.links.pop();
    page.out.push(href === undefined ? "" : `](${href})`);
  }
  if (BLOCKS.has(name)) page.out.push("\n");
}

/** Line by line, because a regular expression over the whole text could be made to take very long. */
function tidy(text: string): string {
  const lines = text.split("\n").map((line) => line.trimEnd());
  const kept = lines.filter((line, index) => line !== "" || (lines[index - 1] ?? "") !== "");
  return kept
    .map((line) => (/^ [^ ]/.test(line) ? line.slice(1) : line))
    .join("\n")
    .trim();
}

function absolute(href: string | undefined, base: string): string | undefined {
  if (href === undefined || href.startsWith("#") || !URL.canParse(href, base)) return undefined;
  const url = new URL(href, base);
  return /^https?:$/.test(url.protocol) && url.href.length < 500 ? url.href : undefined;
}

/** A piece of an HTML page. */
type HtmlToken =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "open" | "close"; readonly name: string; readonly attributes: string };

/** Elements whose content is not markup. */
const RAW = new Set(["script", "style", "textarea", "title", "xmp", "noembed", "noframes", "iframe"]);

/**
 * The tags and texts of a page, in one forward pass, which takes linear time whatever the page contains.
 * (A parser that tracks the open elements in a list took 44 s for a page of nested `<div>`s.)
 */
function* htmlTokens(html: string): Generator<HtmlToken> {
  const lower = html.toLowerCase();
  for (let at = 0; at < html.length;) {
    const open = html.indexOf("<", at);
    const textEnd = open === -1 ? html.length : open;
    if (textEnd > at) yield { kind: "text", text: decodeEntities(html.slice(at, textEnd)) };
    if (open === -1) return;
    const end = markupEnd(html, open);
    if (end === -1) return;
    const tag = /^<(\/?)([a-z][^\s/>]*)([^]*)>$/i.exec(html.slice(open, end));
    at = end;
    if (tag === null) {
      if (!/^<[!?/]/.test(html.slice(open, open + 2))) yield { kind: "text", text: "<" };
      continue;
    }
    const name = (tag[2] ?? "").toLowerCase();
    yield { kind: tag[1] === "/" ? "close" : "open", name, attributes: tag[3] ?? "" };
    if (tag[1] === "/" || !RAW.has(name)) continue;
    const close = lower.indexOf(`</${name}`, at);
    yield { kind: "text", text: decodeEntities(html.slice(at, close === -1 ? html.length : close)) };
    at = close === -1 ? html.length : close;
  }
}

/**
 * Where the markup that starts at `open` ends, or -1 when the page ends first. A `<` that starts none is one character.
 */
function markupEnd(html: string, open: number): number {
  if (html.startsWith("<!--", open)) {
    const end = html.indexOf("-->", open + 4);
    return end === -1 ? -1 : end + 3;
  }
  if (!/[a-z/!?]/i.test(html[open + 1] ?? "")) return open + 1;
  let quote = "";
  for (let at = open + 1; at < html.length; at++) {
    const character = html[at] ?? "";
    if (quote !== "") {
      if (character === quote) quote = "";
    } else if (character === ">") return at + 1;
    else if ((character === '"' || character === "'") && /[=\s]/.test(html[at - 1] ?? "")) quote = character;
  }
  return -1;
}

/** The value of an attribute, or undefined. */
function attribute(attributes: string, name: string): string | undefined {
  const match = new RegExp(
    `(?:^|[\\s"'/])${name}(?:\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))|(?=[\\s/>]|$))`,
    "i",
  ).exec(attributes);
  return match === null ? undefined : decodeEntities(match[1] ?? match[2] ?? match[3] ?? "");
}

const NAMED: ReadonlyMap<string, string> = new Map(
  "amp& lt< gt> quot\" apos' copy© reg® trade™ deg° mdash— ndash– hellip… lsquo‘ rsquo’ ldquo“ rdquo” laquo« raquo» middot· bull• times× rarr→ larr← euro€ sect§ para¶ szligß auml\u00e4 ouml\u00f6 uuml\u00fc Auml\u00c4 Ouml\u00d6 Uuml\u00dc eacute\u00e9 egrave\u00e8 ccedil\u00e7"
    .split(" ")
    .map((pair): [string, string] => [pair.slice(0, -1), pair.slice(-1)])
    .concat([["nbsp", " "]]),
);

/** Decodes entities; unknown names stay as written. */
function decodeEntities(text: string): string {
  return text.replace(/&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,8});/gi, (whole) => {
    const name = whole.slice(1, -1);
    if (!name.startsWith("#")) return NAMED.get(name) ?? whole;
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : "\ufffd";
  });
}
