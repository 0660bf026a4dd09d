/**
 * A prompt with its arguments: `$ARGUMENTS` stands for all of them, `$1` to `$9` for single words or quoted texts. If
 * the prompt names none, they are added at its end. Filled-in text is not searched again.
 */
export function fillArguments(prompt: string, given: string): string {
  const words = [...given.matchAll(WORD)].map(([, one, other, bare]) => one ?? other ?? bare ?? "");
  let isNamed = false;
  const filled = prompt.replaceAll(PLACE, (_, place: string) => {
    isNamed = true;
    return place === "ARGUMENTS" ? given : (words[Number(place) - 1] ?? "");
  });
  return isNamed || given === "" ? filled : `${prompt}\n\n${given}`;
}

const WORD = /"([^"]*)"|'([^']*)'|(\S+)/g;
const PLACE = /\$(ARGUMENTS|[1-9])(?![\w])/g;
