const CONTEXT = 3;
const MAX_TABLE = 4_000_000;

/** The difference of two texts in the unified form, with one hunk from the first to the last changed line. */
export function unifiedDiff(before: string, after: string, name: string): string {
  if (before === after) return "";
  const old = linesOf(before);
  const now = linesOf(after);
  const most = Math.min(old.length, now.length);
  let start = 0;
  while (start < most && old[start] === now[start]) start++;
  let end = 0;
  while (end < most - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const from = Math.max(0, start - CONTEXT);
  const changed = changes(old.slice(start, old.length - end), now.slice(start, now.length - end));
  const below = old.slice(old.length - end, old.length - end + CONTEXT).map((line) => ` ${line}`);
  const hunk = [...old.slice(from, start).map((line) => ` ${line}`), ...changed, ...below];
  const count = (sign: string) => hunk.filter((line) => !line.startsWith(sign)).length;
  const at = (lines: number) => `${lines === 0 ? from : from + 1},${lines}`;
  const head = `--- ${before === "" ? "/dev/null" : name}\n+++ ${name}\n@@ -${at(count("+"))} +${at(count("-"))} @@`;
  return `${[head, ...hunk].join("\n")}\n`;
}

const linesOf = (text: string) => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));

/** Removed and added lines around a longest common subsequence; all of them when that would take too long. */
function changes(old: readonly string[], now: readonly string[]): readonly string[] {
  if (old.length * now.length > MAX_TABLE) return [...old.map((line) => `-${line}`), ...now.map((line) => `+${line}`)];
  const width = now.length + 1;
  const common = new Uint32Array((old.length + 1) * width);
  const cell = (row: number, column: number) => common[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row--)
    for (let column = now.length - 1; column >= 0; column--)
      common[row * width + column] =
        old[row] === now[column]
          ? cell(row + 1, column + 1) + 1
          : Math.max(cell(row + 1, column), cell(row, column + 1));
  const made: string[] = [];
  let row = 0;
  let column = 0;
  while (row < old.length || column < now.length) {
    if (row < old.length && old[row] === now[column]) {
      made.push(` ${old[row]}`);
      row++;
      column++;
    } else if (row < old.length && (column >= now.length || cell(row + 1, column) >= cell(row, column + 1)))
      made.push(`-${old[row++]}`);
    else made.push(`+${now[column++]}`);
  }
  return made;
}
