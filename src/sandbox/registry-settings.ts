/**
 * Of the user's settings of package managers the lines that name a registry, without the login for it. Inside, npm and
 * pip would otherwise ask the public registry for a company's own packages.
 */
export function npmRegistries(text: string): string {
  const lines = text.split(/\r?\n/).flatMap((line) => {
    const [, name, value = ""] = /^\s*((?:@[\w.~-]+:)?registry)\s*=\s*"?([^"\s]+)"?\s*$/.exec(line) ?? [];
    const url = withoutLogin(value);
    return name === undefined || url === undefined ? [] : [`${name}=${url}`];
  });
  return lines.map((line) => `${line}\n`).join("");
}

const PIP_NAMES = ["index-url", "extra-index-url", "find-links", "trusted-host"];

/** The same for `pip.conf`. A value may go on in indented lines. */
export function pipRegistries(text: string): string {
  const settings = new Map<string, string[]>();
  let values: string[] | undefined;
  let section = "";
  for (const line of text.split(/\r?\n/)) {
    const [, named] = /^\[([\w-]+)\]\s*$/.exec(line) ?? [];
    const [, name = "", first = ""] = /^([\w-]+)\s*[=:]\s*(.*)$/.exec(line) ?? [];
    if (/^\s*(?:[#;]|$)/.test(line)) continue;
    if (named !== undefined) [section, values] = [named, undefined];
    else if (/^\s/.test(line)) values?.push(line.trim());
    else if (PIP_NAMES.includes(name.replaceAll("_", "-")) && /^(?:global|install|download)$/.test(section))
      settings.set(`[${section}]\n${name}`, (values = [first]));
    else values = undefined;
  }
  return [...settings]
    .map(([name, given]) => {
      const kept = given.flatMap((value) => value.split(/\s+/)).flatMap((value) => plainValue(name, value) ?? []);
      return kept.length === 0 ? "" : `${name} =\n${kept.map((value) => `    ${value}\n`).join("")}`;
    })
    .join("");
}

const plainValue = (name: string, value: string) =>
  name.endsWith("trusted-host") ? /^[\w.:[\]-]+$/.exec(value)?.[0] : withoutLogin(value);

/** A web address without user name, password, query and fragment, which may hold tokens. */
function withoutLogin(value: string): string | undefined {
  if (!/^https?:\/\//i.test(value) || value.includes("$") || !URL.canParse(value)) return undefined;
  const { origin, pathname } = new URL(value);
  return `${origin}${pathname}`;
}
