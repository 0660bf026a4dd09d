import { CONCEPTS } from "./concept.ts";
import { conceptNumber } from "./matcher.ts";

/** How far apart the parts of a rule may be. */
type Scope = "clause" | "sentence" | "near";

export interface ScreenRule {
  /** The kind of finding; undefined if the rule derives a concept. */
  readonly kind: string | undefined;
  readonly derives: number;
  readonly points: number;
  readonly scope: Scope;
  readonly within: number;
  readonly ordered: boolean;
  readonly groups: readonly (readonly number[])[];
  /** The groups as bit masks, `WORDS` numbers each. */
  readonly masks: Int32Array;
}

/** The number of 32-bit words needed for one bit per concept. */
export const WORDS = Math.ceil(CONCEPTS.length / 32);

/** Whether the concepts seen in a text, as bits, include one of every group. Rules out most rules. */
export function isPossible({ masks }: ScreenRule, seen: Int32Array): boolean {
  for (let group = 0; group < masks.length; group += WORDS) {
    let some = 0;
    for (let word = 0; word < WORDS; word++) some |= (masks[group + word] ?? 0) & (seen[word] ?? 0);
    if (some === 0) return false;
  }
  return true;
}

/** Rules by the concepts that can complete them. */
export function rulesByConcept(): readonly (readonly ScreenRule[])[] {
  return (parsed ??= index(parseGrammar(GRAMMAR)));
}

/** Parses the rules of a grammar. Throws on an invalid line, since the grammar is ours. */
export function parseGrammar(grammar: string): ScreenRule[] {
  const lines = grammar.split("\n").filter((line) => line !== "");
  const names = new Map(
    lines.filter((line) => line.startsWith("$")).map((line) => [nameOf(line), line.split(" = ")[1] ?? ""]),
  );
  const spelledOut = (line: string) => line.replaceAll(/\$\w+/g, (name) => names.get(name) ?? name);
  return lines.filter((line) => !line.startsWith("$")).map((line) => parseRule(spelledOut(line)));
}

const nameOf = (line: string): string => line.slice(0, line.indexOf(" "));

let parsed: readonly (readonly ScreenRule[])[] | undefined;

function parseRule(line: string): ScreenRule {
  const [head = "", tail = ""] = line.split(": ");
  const words = head.split(" ");
  const derived = words[0]?.startsWith("=") ?? false;
  if (derived) words.splice(1, 0, "0");
  const [name = "", points, scope, within] = words;
  const ordered = tail.startsWith("> ");
  const groups = (ordered ? tail.slice(2) : tail).split(" ").map((group) => group.split("|").map(conceptNumber));
  // The smallest group is the most likely to be missing, so checking it first saves work.
  if (!ordered) groups.sort((a, b) => a.length - b.length);
  if (scope !== "clause" && scope !== "sentence" && scope !== "near") throw new Error(`no scope in rule: ${line}`);
  return {
    kind: derived ? undefined : name,
    derives: derived ? conceptNumber(name.slice(1)) : -1,
    points: Number(points),
    scope,
    within: Number(within),
    ordered,
    groups,
    masks: masksOf(groups),
  };
}

function masksOf(groups: readonly (readonly number[])[]): Int32Array {
  const masks = new Int32Array(groups.length * WORDS);
  groups.forEach((group, at) => {
    for (const concept of group) {
      const word = at * WORDS + (concept >> 5);
      masks[word] = (masks[word] ?? 0) | (1 << (concept & 31));
    }
  });
  return masks;
}

function index(rules: readonly ScreenRule[]): ScreenRule[][] {
  const table: ScreenRule[][] = [];
  for (const rule of rules) {
    for (const concept of new Set(rule.groups.flat())) (table[concept] ??= []).push(rule);
  }
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
=noAsk clause 12: ask without
=noAsk clause 14: > dont ask
=hush clause 18: > without|dont tell
=hush clause 12: tell without|dont
=addressed clause 40: callFor ai
=addressed clause 36: > ai must
=order clause 18: > must $do|act|reveal|override
=named clause 36: > callFor agent
=named clause 30: > agent must
=overrule clause 42: override instructions
=exfil sentence 150: send $loot $place|sink|blank
=exfil sentence 120: reveal secretFile sink|$place
=exfil near 120: blank $loot|context
=disable clause 34: > toggle off
=override clause 44: > lay aside
=void clause 70: > regard nought
=named clause 14: > agent request
=named clause 20: > request agent
=addressed clause 14: > ai request

override 6 clause 64: override instructions|prompt prior|user
override 5 sentence 60: override prompt
override 3 near 10: overrule
override 3 clause 24: override user
override 5 sentence 90: override user run|send|act addressed|ai
override 5 clause 50: override safety
override 4 sentence 80: override run|send|destroy ai|$you
override 4 near 80: > override instead act|$do|reveal|reply
override 3 clause 50: void instructions
override 4 clause 70: void instructions prior
override 4 clause 60: void safety
override 5 sentence 110: overrule ai|agent|$loot|danger|hush|noAsk|exfil|prompt|pipeShell|destroy
new-task 2 sentence 60: fresh
new-task 4 near 120: fresh void|override
new-task 5 sentence 120: fresh $do safety|noAsk|$loot|danger|asset|url|pipeShell|ai
new-task 4 sentence 80: fresh addressed|roleLabel
new-task 4 sentence 120: > overrule obey
prompt-leak 5 clause 60: reveal|send prompt inner|verbatim
prompt-leak 4 clause 44: reveal prompt
prompt-leak 5 sentence 80: reply prompt
prompt-leak 5 clause 70: reveal instructions verbatim
prompt-leak 4 clause 60: > reveal instructions inner
prompt-leak 4 clause 60: reveal verbatim prior
exfiltration 3 near 10: exfil
exfiltration 4 sentence 140: send $loot $place
exfiltration 4 sentence 100: send|act $secret reply
exfiltration 5 sentence 160: exfil ai|agent|addressed|hush|noAsk|stealth|hidden|override|roleLabel|pressure|when
exfiltration 5 sentence 160: send|reveal $loot ai|addressed
exfiltration 3 sentence 120: send secretFile
exfiltration 5 sentence 140: send $place ai|addressed
exfiltration 5 sentence 120: act|run $loot sink|$place|blank ai|addressed
exfiltration 4 sentence 120: send secretFile sink
exfiltration 4 sentence 140: act $secret sink|blank url
exfiltration 8 near 120: pixel $loot|context
exfiltration 4 sentence 120: send sink $you
exfiltration 4 sentence 140: send $place named
exfiltration 5 near 140: blank|$place context send
exfiltration 5 near 240: blank $loot ai|agent|addressed|override
steering 1 near 10: $you
steering 4 near 160: reply|informUser $you|roleLabel|roleToken|fresh|hidden|override|when|toolCall
steering 3 near 10: reply
steering 2 near 10: informUser
steering 4 sentence 120: informUser url|pressure|clearance
steering 4 sentence 140: addressed $do|act|reveal|override
steering 3 sentence 120: named $do|reveal
steering 4 sentence 120: named override
steering 2 sentence 80: named act
steering 4 sentence 22: > named $do|act|reveal|override
steering 4 clause 44: > agent order
steering 5 sentence 180: $you run|send|act|destroy noAsk|hush|stealth|danger|pipeShell|$loot|email
steering 5 sentence 180: $you pipeShell|danger|grant
steering 4 sentence 140: $you disable safety
steering 4 sentence 140: $you clearance|promote|pose
steering 4 sentence 140: named destroy asset
steering 4 sentence 140: addressed void
steering 4 sentence 140: $you approved
hidden 4 sentence 120: hidden reply
hidden 4 sentence 120: hidden $you $do|act|put|change|reveal|override|must|clearance|promote|url|$loot
hidden 4 sentence 200: hidden ai must|override|destroy|disable
hidden 4 sentence 200: hidden ai run|send|act $loot|danger|pipeShell|$place|noAsk|hush|asset|safety|record
hidden 4 sentence 160: hidden overrule|exfil
hidden 4 sentence 160: hidden hush|stealth|noAsk ai|agent|user|url|$loot|danger|pipeShell|run|send
hidden 4 sentence 160: hidden override user|prompt|ai|safety
hidden 3 sentence 160: hidden agent run|send|must
secrecy 4 sentence 140: hush user $do
secrecy 4 clause 40: > stealth $do
secrecy 4 clause 40: > run danger|pipeShell|evil stealth
secrecy 3 clause 40: > hush thing
secrecy 4 sentence 160: hush thing ai|addressed|$place|danger|pipeShell|$loot
secrecy 4 sentence 160: hush|stealth addressed
secrecy 3 sentence 60: hush user
secrecy 4 clause 90: > stealth act ai|user|addressed|url|$loot|danger|asset
unattended 4 sentence 100: noAsk $do ai|$you|override|hidden|relay
unattended 3 sentence 100: noAsk $do
unattended 4 sentence 100: noAsk danger
unattended 5 sentence 140: noAsk run|send|destroy danger|pipeShell|secretFile|roleplay
authority 3 sentence 70: authority|user approved
authority 5 sentence 160: authority|user approved run|send|disable|noAsk|$secret|override ai|agent|noAsk|hush|secretFile|safety|danger|url|sink|pipeShell
authority 4 sentence 140: authority reveal|send $loot|prompt
authority 4 sentence 140: authority $loot ai|agent
authority 4 near 140: claim authority|user run|send|disable|reveal|noAsk|approved
authority 4 sentence 140: user|authority approved pressure|override
authority 3 near 10: pose
authority 5 sentence 120: pose ai|user|instructions|roleLabel|forever
escalation 3 near 10: grant
escalation 4 near 60: selfGrant
escalation 4 sentence 60: change|put|disable ownRule
escalation 5 near 140: grant change|put|run|must config|ai|agent|safety
escalation 5 sentence 100: > act ai|agent grant
escalation 4 sentence 120: disable safety ai|agent|addressed|config
escalation 2 clause 40: disable safety
escalation 5 sentence 120: disable safety run|send noAsk|hush|override|approved|roleLabel
jailbreak 5 near 160: roleplay unlimited
jailbreak 4 near 10: unleash
jailbreak 5 near 120: roleplay|unlimited persona|unleash
jailbreak 1 near 10: persona
jailbreak 4 clause 60: roleplay|must persona
jailbreak 4 near 120: roleplay void
jailbreak 4 sentence 120: persona disable|unlimited|safety
jailbreak 1 near 10: unlimited
jailbreak 3 clause 50: roleplay ai
jailbreak 4 near 80: unlimited reply|obey|roleplay
jailbreak 4 clause 60: unlimited ai
jailbreak 4 sentence 120: roleplay $loot
jailbreak 5 near 120: roleplay without safety|instructions
jailbreak 5 near 120: roleplay override instructions
memory 3 clause 70: remember forever
memory 4 sentence 140: remember approved|noAsk|disable
memory 4 sentence 160: remember forever hush|noAsk|disable|approved|override|$place|user|$secret|safety
memory 4 sentence 120: remember memory forever|noAsk|approved
memory 4 clause 60: remember memory
memory 4 sentence 140: memory dont|forever tell|act|run|send
memory 4 sentence 160: memory|forever ai|agent|user noAsk|approved|disable
tool-poisoning 1.5 sentence 90: dont|must|forever run|act|send
tool-poisoning 2.5 sentence 120: must|forever run|act|send $loot|context|user
tool-poisoning 2 sentence 80: act|run|send $loot
tool-poisoning 2 sentence 80: toolOrder
tool-poisoning 5 sentence 200: toolOrder context|$loot|config|hush|send
tool-poisoning 4 sentence 160: context send $secret|context
trigger 2 sentence 120: when run|send|destroy
trigger 4 sentence 170: when clearance|act url
trigger 4 sentence 120: when destroy asset
trigger 4 sentence 140: when act|run danger
trigger 4 sentence 140: when send $loot
trigger 4 sentence 160: when ai|agent|addressed run|send|destroy hush|noAsk|stealth|danger|secretFile|asset|url|pipeShell
trigger 4 sentence 140: when user run|send stealth|hush|noAsk|url|secretFile|danger
relay 2 near 10: relay
relay 4 near 160: relay clearance|obey|pressure
relay 4 near 160: relay destroy asset
relay 5 near 200: relay approved|noAsk|$loot|override|void|disable
pressure 4 sentence 180: pressure ai|agent run|send|noAsk|$secret|obey
pressure 4 sentence 160: pressure noAsk run|send|danger
pressure 4 sentence 160: pressure user run|send|$secret
clearance 5 near 160: clearance|promote ai|addressed
clearance 3 near 160: clearance noAsk
clearance 4 sentence 120: clearance noAsk agent|when|user|pressure
trigger 4 sentence 140: when promote
role-markup 4 near 10: roleToken
role-markup 2 near 10: roleLabel
role-markup 5 near 120: roleLabel|roleToken grant|unleash|unlimited|noAsk
role-markup 5 near 120: roleToken approved
role-markup 4 near 160: turn destroy asset
role-markup 4 near 120: roleLabel $do|reveal|override|obey|reply|fresh
role-markup 4 near 160: turn disable|noAsk|grant|override safety|run|send|instructions|destroy
role-markup 4 near 160: turn reveal|send|approved $loot|prompt|config|danger
role-markup 5 near 240: roleToken|roleLabel $do|override|approved|reveal|obey|void $loot|safety|asset|instructions|noAsk|danger|config|persona|grant|approved
tool-call 2 near 10: toolCall
tool-call 5 near 200: toolCall $do|act|reveal|reply|danger|pipeShell|grant|secretFile|url
download 1.5 near 10: pipeShell
download 5 near 200: pipeShell ai|addressed|hush|noAsk|override|hidden|toolCall|roleToken|approved
danger 1.5 near 10: danger
destruction 4 sentence 80: destroy asset noAsk|ai|override|hush|addressed|roleLabel
decode-and-obey 4 near 70: decode obey
decode-and-obey 4 near 160: join obey|fresh
escalation 4 sentence 140: disable safety pressure|authority|approved|when|relay|forever
exfiltration 4 sentence 140: when user send $place
exfiltration 4 sentence 140: request exfil
hidden 4 sentence 160: hidden pipeShell|clearance|grant|roleLabel|roleToken|promote
hidden 4 sentence 160: hidden send $loot|context
role-markup 4 near 120: roleLabel|roleToken persona|disable
jailbreak 4 clause 24: > unlimited agent|ai
tool-poisoning 5 sentence 160: context send config|secretFile
tool-poisoning 2 sentence 120: act|run|send context|config
memory 4 near 140: act memory approved|noAsk|disable|$secret|hush
memory 4 sentence 140: remember $secret|url|grant approved|send|must
pressure 4 near 160: pressure noAsk run|send|disable|destroy
unattended 4 sentence 120: request noAsk $do
pressure 4 sentence 140: pressure disable safety
clearance 4 sentence 140: clearance $you
destruction 4 near 140: fresh destroy asset
authority 4 sentence 140: authority approved ai|agent
trigger 4 sentence 140: when stealth run|send
download 4 sentence 160: when url obey
override 4 near 120: override user fresh|obey
exfiltration 1.5 clause 60: > send|reveal $loot
clearance 1.5 near 10: clearance
destruction 1.5 clause 40: destroy asset
exfiltration 4 near 110: > reveal secretFile sink
role-markup 4 near 160: roleLabel order url|instructions|config
jailbreak 4 near 120: mode unlimited|void
role-markup 4 near 80: roleLabel|roleToken mode
jailbreak 4 near 100: addressed unlimited
role-markup 4 near 100: turn prompt
unattended 4 near 160: noAsk run danger
danger 4 sentence 60: run|act evil
unattended 4 sentence 120: noAsk promote
authority 4 sentence 140: approved noAsk authority|user|$you
pressure 4 near 140: pressure void instructions|safety
exfiltration 4 sentence 110: > reveal|send contents secretFile
relay 4 near 160: relay must url
new-task 4 sentence 120: fresh act|run|send config|$loot|url|danger|evil
exfiltration 4 sentence 140: send|act contents $place reply|$you|request|hush|noAsk|when
jailbreak 4 near 80: roleplay ai safety
tool-poisoning 2 sentence 60: must send
memory 4 sentence 120: forever run|send url
pressure 4 sentence 120: pressure run danger
pressure 4 near 120: pressure noAsk request|$you|agent
escalation 4 sentence 120: request|when|pressure grant
control-change 3 sentence 200: remedy change control|config
control-change 4 sentence 200: remedy change|put grant|selfGrant|memory
control-change 5 sentence 220: remedy change|put|disable $grip|safety $who
control-change 4 sentence 140: > $you change|put control|config|grant|selfGrant
control-change 4 sentence 160: hush|noAsk change config $who
control-change 4 sentence 140: ai|agent change|put|act|run grant|selfGrant
control-change 4 sentence 140: ai|agent change|put control noAsk|approved|grant|safety|hush|forever
exfiltration 4 sentence 140: blank $loot join|put|act|send|contents
authority 4 near 160: claim approved ai|agent|run|disable
escalation 4 sentence 100: > grant inner control|config
tool-poisoning 2 sentence 140: $loot|context sink|toolOrder
tool-poisoning 2 near 10: hush|stealth
tool-poisoning 2 sentence 100: obey instructions
tool-poisoning 2 sentence 120: forever|toolOrder context|$loot
tool-poisoning 3 sentence 120: pose act|run|send|put
authority 4 near 180: claim authority ai|agent|addressed
authority 4 sentence 180: authority must|request|claim ai|agent $do|act|put
pressure 4 sentence 160: pressure $loot send|put|reveal
pressure 4 sentence 120: pressure run|send|destroy danger|control|evil $who|request
pressure 4 near 160: pressure safety|control|grant ai|agent|disable
pressure 4 near 140: pressure ai|agent noAsk|$loot|danger|grant|safety
control-change 4 sentence 160: remember $grip|safety disable|approved|noAsk|void
exfiltration 4 sentence 160: put secret|secretFile record
exfiltration 4 near 60: secretFile put record
exfiltration 4 clause 80: send|put|reveal secret|secretFile asker
override 4 sentence 100: override user run|send|destroy danger|instead|asset
exfiltration 5 sentence 160: put $loot record $who
exfiltration 4 sentence 160: put $loot $who $place
exfiltration 4 sentence 100: addressed put secret|secretFile
exfiltration 4 clause 80: request send|put secret|secretFile
secrecy 4 sentence 120: stealth danger $who
memory 4 clause 140: forever secret send|put|approved
steering 4 sentence 120: $you act $place
`;
