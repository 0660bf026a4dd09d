import type { CompletedFlag, CompletedVerb } from "./completed-verb.ts";

export function fishScript(verbs: readonly CompletedVerb[]): string {
  const lines = verbs.flatMap((verb) => [
    `complete -c signalbox -n '__signalbox_at 1' -a ${verb.name} -d ${quote(verb.summary)}`,
    `complete -c signalbox -n '__signalbox_at 2; and __signalbox_verb help' -a ${verb.name} -d ${quote(verb.summary)}`,
    ...wordLines(verb),
    ...verb.flags.map((flag) => flagLine(verb, flag)),
  ]);
  return `# fish completion for signalbox
function __signalbox_at
    test (count (commandline -opc)) -eq $argv[1]
end
function __signalbox_passed
    contains -- -- (commandline -opc)
end
function __signalbox_verb
    set -l words (commandline -opc)
    test "$words[2]" = $argv[1]; and not __signalbox_passed
end
complete -c signalbox -f
complete -c signalbox -n __signalbox_passed -F
${lines.join("\n")}
`;
}

function wordLines({ name, firstWords, manyWords }: CompletedVerb): readonly string[] {
  if (firstWords.length === 0) return [];
  const where = manyWords ? `__signalbox_verb ${name}` : `__signalbox_at 2; and __signalbox_verb ${name}`;
  return [`complete -c signalbox -n ${quote(where)} -a ${quote(firstWords.join(" "))}`];
}

const BEHIND = { nothing: "", "a file": " -r -F", "a value": " -x" } as const;

function flagLine({ name }: CompletedVerb, { long, short, help, takes }: CompletedFlag): string {
  const spelling = `${short === undefined ? "" : ` -s ${short.slice(1)}`} -l ${long.slice(2)}`;
  return `complete -c signalbox -n ${quote(`__signalbox_verb ${name}`)}${spelling}${BEHIND[takes]} -d ${quote(help)}`;
}

const quote = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
