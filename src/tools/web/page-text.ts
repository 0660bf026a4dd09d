import { attribute, htmlTokens } from "./html-tokens.ts";

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
