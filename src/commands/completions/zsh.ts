import { shQuote } from "../../lib/sh-quote.ts";
import { type CompletedVerb, spelled } from "./completed-verb.ts";

export function zshScript(verbs: readonly CompletedVerb[]): string {
  const cases = verbs.map(
    (verb) => `    ${verb.name})
      first=(${verb.firstWords.map(shQuote).join(" ")})
      many=${verb.manyWords ? 1 : 0}
      files=(${spelled(verb, "a file").map(shQuote).join(" ")})
      values=(${spelled(verb, "a value").map(shQuote).join(" ")})
      flags=(${verb.flags.map((flag) => entry(flag.long, flag.help)).join(" ")}) ;;`,
  );
  const names = verbs.map((verb) => entry(verb.name, verb.summary)).join(" ");
  return `#compdef signalbox
_signalbox() {
  local -a verbs first files values flags
  local many=0 before="$words[CURRENT-1]"
  verbs=(${names})
  if (( CURRENT == 2 )); then
    _describe command verbs
    return
  fi
  if (( \${words[(i)--]} < CURRENT )); then
    _files
    return
  fi
  case "$words[2]" in
    help) first=(\${verbs%%:*}) ;;
${cases.join("\n")}
  esac
  if (( \${files[(Ie)$before]} )); then
    _files
    return
  fi
  if (( \${values[(Ie)$before]} )); then
    _message value
    return
  fi
  local found=1
  if (( CURRENT == 3 || many )) && (( $#first )); then
    _describe word first && found=0
  fi
  _describe flag flags && found=0
  (( found == 0 )) || _files
}
if [ "$funcstack[1]" = _signalbox ]; then
  _signalbox "$@"
else
  compdef _signalbox signalbox
fi
`;
}

const entry = (name: string, help: string) => shQuote(`${name}:${help.replaceAll(":", "\\:")}`);
