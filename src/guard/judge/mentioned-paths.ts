/** Characters after which a path may end: an agent may take less of a word for the path than all of it. */
const END = /["'`,;:!?#()[\]{}<>|*]/;

const MAX_MARKS = 200;

/**
 * The paths that a text marks with `@`. An agent that opens a skill reads these files without asking about each. Undefined
 * when there are too many.
 */
export function mentionedPaths(text: string): readonly string[] | undefined {
  const paths = new Set<string>();
  const marks = [...text.matchAll(/@/g)];
  if (marks.length > MAX_MARKS) return undefined;
  for (const { index } of marks) {
    const rest = text.slice(index + 1);
    const quoted = /^(["'])(.+?)\1/.exec(rest)?.[2];
    if (quoted !== undefined) paths.add(quoted);
    const word = /^(?:\\ |\S)+/.exec(rest)?.[0].replaceAll("\\ ", " ") ?? "";
    for (const path of [word, word.split(END)[0] ?? "", word.replace(/[.,;:!?)\]}'"`]+$/, "")])
      if (path !== "") paths.add(path);
  }
  return [...paths];
}
