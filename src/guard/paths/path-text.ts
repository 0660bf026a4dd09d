import type { Verdict } from "../../contract/verdict.ts";

export interface TextObjection {
  readonly verdict: Verdict;
  readonly because: string;
}

const MAX_PATH = 4096;
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
const UNSEEN =
  /[\u00a0\u00ad\u061c\u1680\u180e\u2000-\u200c\u200e\u200f\u202a-\u202f\u205f-\u206f\u3000\ufeff\u{e0000}-\u{e007f}]|\p{Surrogate}/u;

/** Checks the characters of a path, whoever uses it. */
export function objectToPath(path: string): TextObjection | undefined {
  if (path.trim() === "") return { verdict: "deny", because: "the path is empty" };
  if (path.length > MAX_PATH) return { verdict: "deny", because: "the path is too long for a file system" };
  if (CONTROL.test(path)) return { verdict: "deny", because: "the path contains a control character" };
  if (/^[A-Za-z]:[\\/]|^\\\\|^\\\?\?/.test(path))
    return { verdict: "deny", because: "the path is for another operating system" };
  if (UNSEEN.test(path)) return { verdict: "ask", because: "the path contains an invisible character" };
  if (path.includes("\\")) return { verdict: "ask", because: "the path contains a backslash" };
  if (path !== path.trim()) return { verdict: "ask", because: "the path starts or ends with white space" };
  return undefined;
}

/** Checks a path in a tool's field, where no shell expands anything. */
export function objectToField(path: string, globs: boolean): TextObjection | undefined {
  const objection = objectToPath(path);
  if (objection !== undefined) return objection;
  if (/[$`]/.test(path)) return { verdict: "deny", because: "the path contains an expansion that a tool may perform" };
  if (/^~[^/]/.test(path)) return { verdict: "deny", because: "the path is in another user's home" };
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(path))
    return { verdict: "deny", because: "a URL is used where a path is expected" };
  if (path.startsWith("-")) return { verdict: "ask", because: "the path would be parsed as an option" };
  if (!globs && /[{}*?]|\[.*\]/.test(path) && !/^[^*?{}]*\[[\w.-]+\][^*?{}]*$/.test(path))
    return { verdict: "ask", because: "the path contains a pattern that a tool may expand" };
  return undefined;
}
