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
