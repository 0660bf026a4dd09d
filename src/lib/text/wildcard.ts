/**
 * True when a text has the form of a pattern in which `*` stands for any text. A final ` *` also matches nothing, as in
 * `git push *` and `git push`.
 */
export function matchesWildcard(pattern: string, text: string): boolean {
  if (pattern.endsWith(" *") && matchesWildcard(pattern.slice(0, -2), text)) return true;
  let [at, back, retry] = [0, -1, 0];
  for (let index = 0; index < text.length;) {
    if (pattern[at] === "*") {
      back = at++;
      retry = index;
    } else if (at < pattern.length && pattern[at] === text[index]) {
      at++;
      index++;
    } else if (back !== -1) {
      at = back + 1;
      index = ++retry;
    } else return false;
  }
  return /^\**$/.test(pattern.slice(at));
}

const MAX_CHARACTERS = 4096;

/**
 * True when the text could match if each character that `isUnknown` names stood for any text. A very long text always
 * could.
 */
export function couldMatchWildcard(pattern: string, text: string, isUnknown: (character: string) => boolean): boolean {
  if (pattern.endsWith(" *") && couldMatchWildcard(pattern.slice(0, -2), text, isUnknown)) return true;
  if (text.length > MAX_CHARACTERS) return true;
  // reached[i]: the first i characters of the pattern can match the text read so far.
  let reached = closed(pattern, new Set([0]));
  for (const character of text) {
    const next = new Set<number>();
    for (const at of reached) {
      if (isUnknown(character)) for (let later = at; later <= pattern.length; later++) next.add(later);
      if (pattern[at] === "*") next.add(at);
      else if (pattern[at] === character) next.add(at + 1);
    }
    reached = closed(pattern, next);
    if (reached.size === 0) return false;
  }
  return reached.has(pattern.length);
}

function closed(pattern: string, reached: Set<number>): Set<number> {
  for (const at of reached) if (pattern[at] === "*") reached.add(at + 1);
  return reached;
}

const MOST = 64;

/**
 * The alternatives of a search pattern: `{.env,x}/*.{ts,js}` as four patterns. With too many alternatives or unbalanced
 * braces, the result is one pattern that may match anything.
 */
export function expandPattern(pattern: string): readonly string[] {
  let open = [pattern];
  const done: string[] = [];
  for (let left = MOST * 4; open.length > 0; left--) {
    const current = open.pop() ?? "";
    const found = /\{([^{}]*)\}/.exec(current);
    if (found === null) done.push(current);
    else {
      const [whole, inside = ""] = found;
      const before = current.slice(0, found.index);
      const after = current.slice(found.index + whole.length);
      open = [...open, ...inside.split(",").map((item) => before + item + after)];
    }
    if (left === 0 || done.length + open.length > MOST) return [pattern.replace(/[{}][\s\S]*$/, ".*")];
  }
  return [...new Set(done)];
}
