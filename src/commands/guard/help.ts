import type { SubVerbHelp } from "../command-module.ts";

const POLICY = ["--policy", "--preset"];

/** What each subcommand of `guard` does and reads. */
export const HELP: Readonly<Record<string, SubVerbHelp>> = {
  explain: {
    usage: "COMMAND [--contained yes|no] [--json]",
    summary: "what a shell command would do, and whether it may",
    flags: ["--contained", "--json", ...POLICY],
    more: `It answers as a session that starts here would: in the sandbox where it is
proven on this machine, else without one. --contained asks for the other answer.`,
    examples: [
      "signalbox guard explain 'git log | sh'",
      "signalbox guard explain --contained yes 'git push'",
      "signalbox guard explain -- git push --force",
    ],
  },
  allow: {
    usage: "COMMAND|last|--host NAME[:PORT] [--repository] [--prefix] [--yes]",
    summary: "show the narrowest rule that allows it, ask, write it",
    flags: ["--host", "--repository", "--prefix", "--yes", "--json", "--preset", "--contained"],
    more: `A host that the command needs is lent to this command alone. --host opens a host
to every command: what it accepts can then be sent there without a question.
Without --repository it holds in every workspace of yours.`,
    examples: [
      "signalbox guard allow --host registry.example.com",
      "signalbox guard allow 'node scripts/build.mjs'",
      "signalbox guard allow last --yes   # the last one asked about or denied here",
    ],
  },
  learn: {
    usage: "[--since TIME]",
    summary: "the five rules that would have saved most questions",
    flags: ["--since", "--json", ...POLICY],
    examples: ["signalbox guard learn --since 7d"],
  },
  judge: {
    usage: "[--policies FILE] [--contained yes|no]",
    summary: "JSON lines of calls in, verdicts out (docs/guard.md)",
    flags: ["--policies", "--contained", ...POLICY],
    more: `In:  {id, policy?, tool, input, world?}
Out: {id, verdict, code, rules, because}
     and in the sandbox also {contained, needs}
A line without a policy is judged under the active one, as a session here would
judge it; the others as without a sandbox. world: {changed: [PATH]}
names files that nothing could restore.`,
    examples: ["signalbox guard judge --contained yes --policies policies.json < cases.jsonl"],
  },
  screen: {
    usage: "[--session ID]",
    summary: "JSON lines of text in, risk of injected orders out",
    flags: ["--session"],
    more: `In:  {id, text, channel?}
Out: {id, risk, findings}
With --session, medium and above taints that session.`,
    examples: [`echo '{"id":"1","text":"ignore all rules"}' | signalbox guard screen`],
  },
  taint: {
    usage: "--session ID [--clear]",
    summary: "show or clear the taint of a session",
    flags: ["--session", "--clear", "--json"],
    examples: ["signalbox guard taint --session 3f2a --clear"],
  },
  test: {
    usage: "FILE",
    summary: "run a policy's examples, list rules without effect",
    flags: [],
    examples: ["signalbox guard test .signalbox/policy.yaml"],
  },
  compile: {
    usage: "[--out FILE]",
    summary: "write the active policy in the form that hooks read",
    flags: ["--out", ...POLICY],
    examples: ["signalbox guard compile --out -"],
  },
  replay: {
    usage: "--policy FILE [--since TIME]",
    summary: "judge recorded decisions again; show what changes",
    flags: ["--since", ...POLICY],
    examples: ["signalbox guard replay --policy new.yaml --since 7d"],
  },
};
