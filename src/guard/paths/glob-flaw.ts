/** Whether a path pattern holds what our patterns have no meaning for: braces, backslashes, `***`, an open bracket. */
export function hasGlobFlaw(pattern: string): boolean {
  return /[{}\\]|\*{3}|\[[^\]]*$/.test(pattern);
}
