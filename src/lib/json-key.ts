const COLON = 0x3a;
const SPACE = 0x20;

/** Whether the string that ends at `end` of a JSON text is a key, that is, followed by a colon. */
export function isJsonKey(text: string, end: number): boolean {
  let at = end + 1;
  while (text.charCodeAt(at) <= SPACE) at++;
  return text.charCodeAt(at) === COLON;
}
