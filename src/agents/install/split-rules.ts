/** The rules in one word of a command line. They are separated by commas or blanks, except inside parentheses. */
export function splitRules(text: string): readonly string[] {
  const rules: string[] = [];
  let [rule, depth] = ["", 0];
  for (const character of text) {
    if (character === "(") depth++;
    if (character === ")") depth = Math.max(0, depth - 1);
    if (depth === 0 && /[\s,]/.test(character)) {
      rules.push(rule);
      rule = "";
    } else rule += character;
  }
  return [...rules, rule].filter((one) => one !== "");
}
