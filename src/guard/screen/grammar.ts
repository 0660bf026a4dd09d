export interface ScreenRule {
  /** The kind of finding; undefined if the rule derives a concept. */
  readonly kind: string | undefined;
  readonly derives: number;
  readonly points: number;
  /** How far apart the parts may be. */
  readonly scope: "clause" | "sentence" | "near";
  readonly within: number;
  readonly ordered: boolean;
  readonly groups: readonly (readonly number[])[];
}

const numbers = new Map<string, number>();

/** The number that stands for a concept in rules and places. */
export function conceptNumber(name: string): number {
  const known = numbers.get(name) ?? numbers.size;
  numbers.set(name, known);
  return known;
}

let byConcept: readonly (readonly ScreenRule[] | undefined)[] | undefined;

/** The rules that a concept can complete. */
export function rulesWith(concept: number): readonly ScreenRule[] {
  return (byConcept ??= index(parseGrammar(GRAMMAR)))[concept] ?? [];
}

/** Parses the rules of a grammar. Throws on an invalid line, since the grammar is ours. */
export function parseGrammar(grammar: string): ScreenRule[] {
  const lines = grammar.split("\n").filter((line) => line !== "");
  const names = new Map(lines.filter((line) => line.startsWith("$")).map((line) => splitAt(line, " = ")));
  const spelledOut = (line: string) => line.replaceAll(/\$\w+/g, (name) => names.get(name) ?? name);
  return lines.filter((line) => !line.startsWith("$")).map((line) => parseRule(spelledOut(line)));
}

function splitAt(line: string, separator: string): [string, string] {
  const [head = "", tail = ""] = line.split(separator);
  return [head, tail];
}

function parseRule(line: string): ScreenRule {
  const [head, tail] = splitAt(line, ": ");
  const derived = head.startsWith("=");
  const [name = "", points, scope, within] = head.replace(/^=(\w+)/, "$1 0").split(" ");
  if (scope !== "clause" && scope !== "sentence" && scope !== "near") throw new Error(`no scope in rule: ${line}`);
  const ordered = tail.startsWith("> ");
  const groups = tail.replace("> ", "").split(" ");
  return {
    kind: derived ? undefined : name,
    derives: derived ? conceptNumber(name) : -1,
    points: Number(points),
    scope,
    within: Number(within),
    ordered,
    groups: groups.map((group) => group.split("|").map(conceptNumber)),
  };
}

function index(rules: readonly ScreenRule[]): ScreenRule[][] {
  const table: ScreenRule[][] = [];
  for (const rule of rules) for (const concept of new Set(rule.groups.flat())) (table[concept] ??= []).push(rule);
  return table;
}

/**
 * How concepts combine. `kind points scope within: groups` scores if one concept of every group occurs in the same
 * clause, sentence or neighbourhood, within that many characters. `=concept …` derives a concept instead. `>` before
 * the groups requires that order. `$name = …` names a group.
 */
export const GRAMMAR = `
$do = run|send|destroy|disable
$secret = secret|token
$loot = secret|token|secretFile
$you = addressed|named
$place = url|email
$who = ai|agent|addressed|named
$grip = control|config|grant|selfGrant|memory

=noAsk clause 40: > without ask
=noAsk clause 14: > dont ask
=hush clause 12: tell without|dont
=addressed clause 40: callFor ai
=addressed clause 36: > ai must
=order clause 18: > must $do|act|reveal|override
=named clause 36: > callFor agent
=overrule clause 42: override instructions|task
=named clause 14: > agent request

override 6 clause 64: override instructions|task|prompt prior|user
override 5 sentence 60: override prompt
override 3 near 10: overrule
override 3 clause 24: override user
override 5 clause 50: override safety
override 4 clause 70: void instructions|task prior
new-task 5 sentence 120: fresh $do safety|noAsk|$loot|danger|asset|url|pipeShell|ai
prompt-leak 5 clause 60: reveal|send prompt inner
prompt-leak 4 clause 44: reveal prompt
prompt-leak 5 sentence 80: reply prompt
prompt-leak 5 clause 70: reveal instructions inner
exfiltration 4 sentence 140: send $loot $place
exfiltration 5 sentence 160: send|reveal $loot ai|addressed
exfiltration 5 sentence 140: send $place ai|addressed
exfiltration 8 near 120: pixel $loot|context
exfiltration 5 near 140: blank|$place context send
steering 4 near 160: reply $you|roleLabel|roleToken|fresh|hidden|override|when|toolCall
steering 4 sentence 120: reply url|pressure|clearance
steering 4 sentence 140: addressed $do|act|reveal|override
steering 4 sentence 22: > named $do|act|reveal|override
steering 4 clause 44: > agent order
steering 5 sentence 180: $you run|send|act|destroy noAsk|hush|stealth|danger|pipeShell|$loot|email
steering 5 sentence 180: $you pipeShell|danger|grant
hidden 4 sentence 120: hidden $you $do|act|put|reveal|override|must|clearance|url|$loot|disable|destroy
hidden 4 sentence 200: hidden ai run|send|act $loot|danger|pipeShell|$place|noAsk|hush|asset|safety|record
secrecy 4 sentence 140: hush user $do
secrecy 4 clause 40: > hush thing
unattended 3 sentence 100: noAsk $do
authority 3 sentence 70: authority|user approved
authority 4 sentence 140: authority reveal|send $loot|prompt
escalation 3 near 10: grant
escalation 4 near 60: selfGrant
escalation 5 near 140: grant put|run|must|act|disable|destroy config|ai|agent|safety
escalation 4 sentence 120: disable safety ai|agent|addressed|config
jailbreak 4 near 10: persona
jailbreak 4 near 80: unlimited reply|obey|roleplay
jailbreak 4 clause 60: unlimited ai
jailbreak 4 sentence 120: roleplay $loot
memory 4 sentence 140: remember approved|noAsk|disable
memory 4 sentence 160: remember forever hush|noAsk|disable|approved|override|$place|user|$secret|safety
memory 4 clause 60: remember memory
memory 4 sentence 140: memory dont|forever tell|act|run|send
tool-poisoning 2.5 sentence 120: must|forever run|act|send $loot|context|user
tool-poisoning 2 sentence 80: act|run|send $loot
tool-poisoning 2 sentence 80: toolOrder
trigger 2 sentence 120: when run|send|destroy
trigger 4 sentence 170: when clearance|act url
trigger 4 sentence 120: when destroy asset
trigger 4 sentence 140: when user run|send stealth|hush|noAsk|url|secretFile|danger
relay 4 near 160: relay clearance|obey|pressure
relay 5 near 200: relay approved|noAsk|$loot|override|void|disable
pressure 4 sentence 160: pressure user run|send|$secret
clearance 5 near 160: clearance ai|addressed
role-markup 4 near 10: roleToken
role-markup 5 near 120: roleLabel|roleToken grant|persona|unlimited|noAsk
role-markup 4 near 160: turn destroy asset
role-markup 4 near 120: roleLabel $do|reveal|override|obey|reply|fresh
role-markup 4 near 160: turn reveal|send|approved $loot|prompt|config|danger
tool-call 5 near 200: toolCall $do|act|reveal|reply|danger|pipeShell|grant|secretFile|url
download 5 near 200: pipeShell ai|addressed|hush|noAsk|override|hidden|toolCall|roleToken|approved
danger 1.5 near 10: danger
destruction 4 sentence 80: destroy asset noAsk|ai|override|hush|addressed|roleLabel
decode-and-obey 4 near 160: decode obey|fresh
escalation 4 sentence 140: disable safety pressure|authority|approved|when|relay|forever
hidden 4 sentence 160: hidden pipeShell|clearance|grant|roleLabel|roleToken
tool-poisoning 2 sentence 120: act|run|send context|config
memory 4 near 140: act memory approved|noAsk|disable|$secret|hush
pressure 4 near 160: pressure noAsk run|send|disable|destroy
clearance 4 sentence 140: clearance $you
exfiltration 1.5 clause 60: > send|reveal $loot
destruction 1.5 clause 40: destroy asset
jailbreak 4 near 120: mode unlimited|void
jailbreak 4 near 100: addressed unlimited
danger 4 sentence 60: run|act evil
tool-poisoning 2 sentence 60: must send
pressure 4 sentence 120: pressure run danger
control-change 5 sentence 220: remedy put|disable|act|destroy $grip|safety $who
control-change 4 sentence 140: ai|agent put|act|disable|destroy control noAsk|approved|grant|safety|hush|forever
authority 4 near 160: authority approved ai|agent|run|disable
tool-poisoning 2 near 10: hush|stealth
authority 4 sentence 180: authority must|request|authority ai|agent $do|act|put
pressure 4 near 140: pressure ai|agent noAsk|$loot|danger|grant|safety
exfiltration 4 sentence 160: put secret|secretFile record
exfiltration 4 near 60: secretFile put record
exfiltration 4 clause 80: send|put|reveal secret|secretFile sink
steering 4 sentence 120: $you act $place
escalation 4 clause 60: > disable all|prior safety
escalation 4 near 60: admin
override 4 clause 60: void prompt|instructions
exfiltration 4 clause 60: > send|reveal all secret
jailbreak 4 clause 60: roleplay evil
danger 4 near 10: exploit
clearance 4 near 120: clearance authority|approved
unattended 4 sentence 100: noAsk run|destroy|send approved|must|fresh
exfiltration 4 sentence 140: send $loot sink
exfiltration 4 near 10: leak
exfiltration 4 sentence 120: put|send|reveal context reply
tool-call 4 sentence 180: useTool danger|secretFile|config|secret|exploit|safety|admin|leak
trigger 4 sentence 140: when evil|exploit|pipeShell
`;
