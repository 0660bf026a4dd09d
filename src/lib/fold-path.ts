/** A path or name normalized for comparison: composed, compatibility forms unified, lower case. */
export function fold(text: string): string {
  return isAscii(text) ? text.toLowerCase() : text.normalize("NFKC").toLowerCase();
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) return false;
  return true;
}
