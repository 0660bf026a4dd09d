const PLAIN = /^[A-Za-z_./@][A-Za-z0-9_./@-]*$/;
const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n|\.inf|\.nan|[.]{1,3})$/i;
// Whatever a reader might not see, or see as something else: controls, blanks other than a space, and format characters.
const UNSAFE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Mn}]|(?! )\p{Zs}|\p{Surrogate}/gu;

/** A text as one YAML scalar that stands on one line and shows every character that could be invisible as an escape. */
export function yamlWord(text: string): string {
  if (PLAIN.test(text) && !RESERVED.test(text) && !text.startsWith("@")) return text;
  const escaped = text.replaceAll(/["\\]/g, (character) => `\\${character}`).replaceAll(UNSAFE, escape);
  return `"${escaped}"`;
}

function escape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = (digits: number) => code.toString(16).padStart(digits, "0");
  if (character === "\n") return "\\n";
  if (character === "\t") return "\\t";
  if (code <= 0xff) return `\\x${hex(2)}`;
  return code <= 0xffff ? `\\u${hex(4)}` : `\\U${hex(8)}`;
}
