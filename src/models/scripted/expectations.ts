import { type IncomingRequest, inputText } from "./script/incoming-request.ts";
import type { Expect } from "./script/script.ts";

/** Each expectation in `expect` that the request does not meet, as a sentence. */
export function unmet(expect: Expect, request: IncomingRequest): string[] {
  const text = inputText(request);
  const offered = request.tools.map((tool) => tool.name);
  const { contains, not_contains, tools, matches } = expect;
  return [
    ...contains.filter((part) => !text.includes(part)).map((part) => `the request does not contain ${quoted(part)}`),
    ...not_contains.filter((part) => text.includes(part)).map((part) => `the request contains ${quoted(part)}`),
    ...tools.filter((name) => !offered.includes(name)).map((name) => `${notOffered(name)}: ${listed(offered)}`),
    ...(matches === undefined || new RegExp(matches, "u").test(text)
      ? []
      : [`the request does not match /${matches}/`]),
  ];
}

/** The names for a message. */
export function listed(names: readonly string[]): string {
  return names.length === 0 ? "none are" : names.join(", ");
}

const notOffered = (name: string) => `the tool ${name} is not offered; offered`;
const quoted = (text: string) => JSON.stringify(text);
