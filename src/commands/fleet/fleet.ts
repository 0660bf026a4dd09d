import { Command } from "commander";
import type { FleetReceipt, TrustedKey } from "../../fleet/documents.ts";
import { readOrder, readReceipt, trustedKeys } from "../../fleet/documents.ts";
import { LEASE_SECONDS, openFleet } from "../../fleet/open-fleet.ts";
import type { AcceptedReceipt, OrderStatus } from "../../fleet/port.ts";
import { pullResult, verifyReceipt } from "../../fleet/results.ts";
import { signalboxHome } from "../../lib/path/home-folder.ts";
import { refuseInSandbox } from "../../lib/process/inside-session.ts";
import { say } from "../../lib/process/standard-streams.ts";
import { printableLine, shortLine } from "../../lib/text/printable.ts";
import { EXIT, UserError } from "../../lib/text/user-error.ts";
import type { CommandInput, CommandModule } from "../command-module.ts";
import { collect, countFlag, type Flags, once, printLine, textFlag } from "../flags.ts";
import { command as runCommand } from "../run/run.ts";
import { subVerb, subVerbsText } from "../sub-verbs.ts";
import { superviseAttempt } from "./attempt.ts";
import { SUBMIT_FLAGS, submitOrder } from "./submit.ts";
import { startWorker } from "./worker.ts";

const EXAMPLES = [
  'signalbox fleet submit codex "fix the failing test" --accept "npm test"',
  "signalbox fleet worker --capacity 2",
  "signalbox fleet receipts --pull",
];

const HELP: NonNullable<CommandModule["subVerbs"]> = {
  submit: {
    usage: "AGENT TASK [flags]",
    summary: "queue a work order for any worker, print its id",
    flags: [...SUBMIT_FLAGS, "--key", "--needs", "--not-before", "--attempts", "--no-retry", "--proven", "--secret"],
    examples: [
      'signalbox fleet submit codex "fix the failing test" --accept "npm test"',
      'signalbox fleet submit claude "update the model card" --needs label=gpu --key nightly-1 --secret HF_TOKEN',
    ],
    more: `The workspace is sent as it is now, without what git ignores and without its
history. The same order, or the same --key, has the same id and is queued once.
An attempt that is lost starts again elsewhere, in a fresh workspace.`,
  },
  worker: {
    usage: "[flags]",
    summary: "take orders and do them, until it is told to end",
    flags: ["--capacity", "--labels", "--name", "--lease", "--once"],
    examples: ["signalbox fleet worker --capacity 2 --labels gpu,big"],
    more: "It accepts orders of the keys in ~/.signalbox/fleet/trusted, and your own.",
  },
  status: {
    usage: "ID [--json]",
    summary: "show orders and workers, or one order",
    flags: ["--json", "--limit"],
    examples: ["signalbox fleet status"],
  },
  cancel: {
    usage: "ID [--reason TEXT]",
    summary: "end an order, also one in work",
    flags: ["--reason"],
    examples: ["signalbox fleet cancel 3f2a91d0-1111-4222-8333-444455556666"],
  },
  receipts: {
    usage: "[--pull] [--json]",
    summary: "list accepted receipts, verified; fetch the results",
    flags: ["--pull", "--json"],
    examples: ["signalbox fleet receipts --pull"],
    more: "Results are stored in ~/.signalbox/fleet/results/ID.\n\nExit codes:\n  0 all verified   1 some do not verify   2 usage",
  },
};

const ACTIONS = { submit, worker, status, cancel, receipts };

export const command: CommandModule = {
  subVerbs: HELP,
  firstWords: () => Object.keys(ACTIONS),

  configure(fleet: Command) {
    fleet.usage("SUBCOMMAND [flags]").argument("[words...]", "a subcommand and its words");
    const run = new Command();
    runCommand.configure(run, "run");
    for (const option of run.options) if (SUBMIT_FLAGS.includes(option.long ?? "")) fleet.addOption(option);
    fleet
      .option("--key <text>", "submit: a name of yours; the same one is never queued twice", once)
      .option("--needs <list>", "submit: what the worker must have, as label=gpu,agent=codex", collect)
      .option("--not-before <time>", "submit: do not start before this time", once)
      .option("--attempts <n>", "submit: how many attempts may be lost before it gives up (default: 3)", once)
      .option("--no-retry", "submit: one attempt (the default where your rules allow to push or publish)")
      .option("--proven", "submit: only where 'signalbox prove' has tested the agent")
      .option("--secret <name>", "submit: the worker passes this variable of its own to the agent", collect)
      .option("--capacity <n>", "worker: how many orders at the same time (default: 1)", once)
      .option("--labels <list>", "worker: what it has, as gpu,big", collect)
      .option("--name <name>", "worker: its name in receipts (default: the name of the machine)", once)
      .option("--lease <seconds>", `worker: without a sign of life this long, it is lost (default: ${LEASE_SECONDS})`)
      .option("--once", "worker: end when there is nothing to do")
      .option("--limit <n>", "status: how many orders (default: 20)", once)
      .option("--reason <text>", "cancel: why, for the receipt")
      .option("--pull", "receipts: fetch receipt, patch and artifacts, and verify them")
      .addHelpText("after", subVerbsText(HELP, EXAMPLES));
  },

  async run(input) {
    // Not for people: the worker starts it.
    if (input.words[0] === "attempt") return await superviseAttempt(input.verbs);
    return await subVerb("fleet", input.words[0], ACTIONS)(input);
  },
};

async function submit({ words, flags }: CommandInput): Promise<number> {
  refuseInSandbox("an agent's session cannot submit orders", "submit from your own terminal");
  const home = signalboxHome();
  await using fleet = await openFleet(home, process.env);
  const { id, isNew } = await submitOrder(words.slice(1), flags, { fleet, home });
  if (flags["json"] === true) await printLine({ id, new: isNew });
  else process.stdout.write(`${id}\n`);
  say(isNew ? `queued in ${fleet.place}` : "this order was submitted before");
  return EXIT.ok;
}

async function worker({ flags }: CommandInput): Promise<number> {
  refuseInSandbox("an agent's session cannot be a worker", "start it in your own terminal");
  return await startWorker(flags);
}

async function status({ words, flags }: CommandInput): Promise<number> {
  const home = signalboxHome();
  const keys = trustedKeys(home);
  const [, id] = words;
  await using fleet = await openFleet(home, process.env);
  const describe = (order: OrderStatus) => {
    const read = readOrder(order.document, keys);
    const { state, attempt, worker: name, cancel: why, lost } = order;
    const lostIn = lost.map((line) => readReceipt(line, keys)).map((each) => (each.good ? each.body : undefined));
    return {
      id: order.id,
      state,
      attempt,
      worker: name ?? null,
      cancel: why ?? null,
      agent: read.good ? read.body.agent : null,
      task: read.good ? shortLine(read.body.order.task, 80) : `(${read.because})`,
      needs: read.good ? read.body.needs : [],
      lost: lostIn.map((each) => each?.because ?? "a receipt that does not verify"),
    };
  };
  if (id !== undefined) {
    const order = await fleet.find(id);
    if (order === undefined) throw unknownOrder(id);
    showOrder(describe(order), flags);
    return EXIT.ok;
  }
  for (const order of await fleet.list(countFlag(flags, "limit", 100_000) ?? 20)) showOrder(describe(order), flags);
  for (const each of await fleet.workers()) {
    const seconds = Math.max(0, Math.round((Date.now() - each.seen) / 1000));
    if (flags["json"] === true) await printLine({ ...each, worker: each.name });
    else
      process.stdout.write(
        `worker ${printableLine(each.name)}: ${each.running.length} of ${each.capacity}, seen ${seconds} s ago, has ${each.meets.join(" ")}\n`,
      );
  }
  return EXIT.ok;
}

interface Described {
  readonly id: string;
  readonly state: string;
  readonly attempt: number;
  readonly worker: string | null;
  readonly cancel: string | null;
  readonly agent: string | null;
  readonly task: string;
  readonly lost: readonly string[];
}

function showOrder(order: Described, flags: Flags): void {
  if (flags["json"] === true) return void process.stdout.write(`${JSON.stringify(order)}\n`);
  const { id, state, attempt, worker: name, cancel: why, agent, task, lost } = order;
  const where = name === null ? "" : ` on ${printableLine(name)}`;
  process.stdout.write(`${id} ${state}, attempt ${attempt}${where}: ${agent ?? "?"}: ${printableLine(task)}\n`);
  if (why !== null) process.stdout.write(`  cancel: ${printableLine(why)}\n`);
  lost.forEach((because, index) => process.stdout.write(`  lost, attempt ${index + 1}: ${printableLine(because)}\n`));
}

const unknownOrder = (id: string) =>
  new UserError("no such order", { where: id, fix: "'signalbox fleet status' lists them" });

async function cancel({ words, flags }: CommandInput): Promise<number> {
  refuseInSandbox("an agent's session cannot cancel orders", "cancel from your own terminal");
  const id = words[1] ?? "";
  await using fleet = await openFleet(signalboxHome(), process.env);
  const answer = await fleet.cancel(id, shortLine(textFlag(flags, "reason") ?? "canceled by the user", 500));
  if (answer === "unknown") throw unknownOrder(id);
  if (answer === "ended")
    throw new UserError("this order has already ended", { where: id, fix: "see: signalbox fleet receipts" });
  say(answer === "cancelled" ? "canceled before it began" : "its worker was told; the order ends with a receipt");
  return EXIT.ok;
}

async function receipts({ flags }: CommandInput): Promise<number> {
  const home = signalboxHome();
  const keys = trustedKeys(home);
  const isPull = flags["pull"] === true;
  if (isPull) refuseInSandbox("an agent's session cannot fetch results", "fetch them in your own terminal");
  await using fleet = await openFleet(home, process.env);
  const isJson = flags["json"] === true;
  let bad = 0;
  for (const accepted of await fleet.receipts(0)) {
    const { because, folder, receipt } = await lookAt(accepted, isPull ? { fleet, home } : undefined, keys);
    if (because !== undefined) bad++;
    const verified = because === undefined;
    if (isJson) await printLine({ order: accepted.id, verified, because, folder: folder ?? null, receipt });
    else process.stdout.write(`${receiptLine(accepted.id, receipt, because)}\n`);
    if (folder !== undefined && !isJson) process.stdout.write(`  ${folder}\n`);
  }
  if (bad > 0) say(`${bad} ${bad === 1 ? "receipt does" : "receipts do"} not verify`);
  return bad === 0 ? EXIT.ok : EXIT.failed;
}

interface Looked {
  /** Why it does not verify. */
  readonly because?: string;
  /** Where its files are. */
  readonly folder?: string;
  readonly receipt?: FleetReceipt;
}

/** Verifies a receipt, and with a place to put them its files too. */
async function lookAt(
  accepted: AcceptedReceipt,
  place: Parameters<typeof pullResult>[2] | undefined,
  keys: readonly TrustedKey[],
): Promise<Looked> {
  const verified = verifyReceipt(accepted, keys);
  if (!verified.good) return { because: verified.because };
  const { receipt } = verified;
  return place === undefined ? { receipt } : { receipt, ...(await pullResult(verified, accepted.document, place)) };
}

function receiptLine(id: string, receipt: FleetReceipt | undefined, because: string | undefined): string {
  if (receipt === undefined || because !== undefined) return `${id} NOT VERIFIED: ${printableLine(because ?? "")}`;
  const { outcome, exit_code: code, worker: name, attempt } = receipt;
  const how = code === null ? outcome : `${outcome} with ${code}`;
  return `${id} ${how}, attempt ${attempt} on ${printableLine(name)}: ${printableLine(receipt.because)}`;
}
