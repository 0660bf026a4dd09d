import { randomUUID } from "node:crypto";
import type { LooseHostEnvelope } from "../../contract/envelope.ts";
import { AgentEvent } from "../../contract/agent-event.ts";
import { Receipt } from "../../contract/receipt.ts";
import type { WorkOrder } from "../../contract/work-order.ts";
import { isHello, openSubject, rubbishIn, type Subject } from "./check.ts";
import type { HostCommand } from "../program/program.ts";

/** One promise of the protocol: undefined when the host keeps it, else what it did instead. */
interface Promised {
  readonly name: string;
  readonly check: (subject: Subject, order: WorkOrder) => Promise<string | undefined>;
}

export interface PromiseCheck {
  readonly name: string;
  /** What the host did instead; undefined when it kept the promise. */
  readonly wrong: string | undefined;
}

const hello = (said: LooseHostEnvelope) => said.t === "hello";
const terminal = (id: string) => (said: LooseHostEnvelope) =>
  (said.t === "final" || said.t === "fatal") && (said.ref_id ?? id) === id;

async function runOnce(subject: Subject, order: WorkOrder, id: string): Promise<LooseHostEnvelope | undefined> {
  await subject.await(hello);
  subject.send({ t: "run", id, work_order: order });
  return await subject.await(terminal(id));
}

/** What every host promises. The same list is run by our tests and by `signalbox sidecar check`. */
export const PROMISES: readonly Promised[] = [
  {
    name: "sends hello first, in our major version",
    async check(subject) {
      const first = await subject.await(() => true);
      return isHello(first) ? undefined : `it began with ${JSON.stringify(first ?? "nothing").slice(0, 200)}`;
    },
  },
  {
    name: "ends a run with exactly one final message",
    async check(subject, order) {
      const id = randomUUID();
      const end = await runOnce(subject, order, id);
      if (end === undefined) return "there was none";
      subject.endInput();
      const second = await subject.await(terminal(id), 5000);
      return second === undefined ? undefined : "there were two";
    },
  },
  {
    name: "sends only known events, for the run it was given",
    async check(subject, order) {
      const id = randomUUID();
      await runOnce(subject, order, id);
      const events = subject.heard.flatMap((said) => (said.t === "event" ? [said] : []));
      const foreign = events.find(({ ref_id }) => ref_id !== id);
      if (foreign !== undefined) return `an event for ${foreign.ref_id}`;
      const odd = events.find(({ event }) => !AgentEvent.safeParse(event).success);
      return odd === undefined ? undefined : `an event ${JSON.stringify(odd.event).slice(0, 200)}`;
    },
  },
  {
    name: "opens a trace with run_started and closes it with run_completed",
    async check(subject, order) {
      const end = await runOnce(subject, order, randomUUID());
      if (end?.t !== "final") return undefined;
      const kinds = subject.heard.flatMap((said) => (said.t === "event" ? [said.event["type"]] : []));
      return kinds[0] === "run_started" && kinds.at(-1) === "run_completed"
        ? undefined
        : `it was ${kinds.join(", ").slice(0, 200)}`;
    },
  },
  {
    name: "gives a whole receipt",
    async check(subject, order) {
      const end = await runOnce(subject, order, randomUUID());
      if (end?.t !== "final") return undefined;
      const parsed = Receipt.safeParse(end.receipt);
      return parsed.success ? undefined : (parsed.error.issues[0]?.path.join(".") ?? "it cannot be read");
    },
  },
  {
    name: "answers an invalid line with a fatal, and continues",
    async check(subject, order) {
      await subject.await(hello);
      subject.sendText("{ this is no JSON");
      const fatal = await subject.await((said) => said.t === "fatal", 5000);
      if (fatal?.t !== "fatal" || fatal.ref_id !== null) return "there was no fatal without a run";
      const id = randomUUID();
      subject.send({ t: "run", id, work_order: order });
      return (await subject.await(terminal(id))) === undefined ? "it no longer took a run" : undefined;
    },
  },
  {
    name: "carries out a second run",
    async check(subject, order) {
      await runOnce(subject, order, randomUUID());
      const id = randomUUID();
      subject.send({ t: "run", id, work_order: order });
      return (await subject.await(terminal(id))) === undefined ? "it did not" : undefined;
    },
  },
  {
    name: "answers pings",
    async check(subject) {
      await subject.await(hello);
      subject.send({ t: "ping", seq: 7 });
      const pong = await subject.await((said) => said.t === "pong", 5000);
      return pong?.t === "pong" && pong.seq === 7 ? undefined : "it did not";
    },
  },
  {
    name: "prints nothing else, and ends when its input ends",
    async check(subject, order) {
      await runOnce(subject, order, randomUUID());
      subject.endInput();
      await subject.await(() => false, 10_000);
      const rubbish = rubbishIn(subject.heard);
      return rubbish.length === 0 ? undefined : rubbish[0];
    },
  },
];

/** Checks a host against every promise, each with a process of its own. */
export async function* checkHost(
  command: HostCommand,
  place: { readonly env: NodeJS.ProcessEnv; readonly order: WorkOrder },
): AsyncGenerator<PromiseCheck> {
  for (const { name, check } of PROMISES) {
    await using subject = await openSubject(command, place.env, place.order.workspace.root);
    yield { name, wrong: await check(subject, place.order) };
  }
}
