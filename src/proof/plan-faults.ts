import type { RehearsalParts } from "../hooks/guarded/prepare.ts";
import { openDecoy } from "./decoy.ts";
import { type Fault, FAULT_LIST, type Ground, restore } from "./faults.ts";
import { OFFLINE } from "./offline.ts";
import { playSession, type Session, type Step } from "./session.ts";
import type { Stage } from "./stage.ts";
import { type Trial, tryOf } from "./trial.ts";

/** What a fault's two turns try to write: before it, under it and denied, under it and allowed. */
const filesOf = ({ id }: Fault, index: number) => {
  const name = `${index}-${id.replace("fault.", "")}`;
  return { control: `ok-${name}`, denied: `no-${name}`, allowed: `still-${name}` };
};

const AMONG = 7;
const MIXED = Array.from({ length: 16 }, (_, index) => (index === AMONG ? "no-mixed" : `ok-mixed-${index}`));
const ALL_DENIED = Array.from({ length: 8 }, (_, index) => `no-all-${index}`);

/**
 * One session that meets every fault, each after a turn in which all was well again: the allowed call of that turn shows
 * that the guard stood and the agent could run it.
 */
export async function tryFaults(stage: Stage, sabotage?: (guard: RehearsalParts) => void): Promise<readonly Trial[]> {
  using silent = await openDecoy(stage.folder, "silent", () => {});
  using breaking = await openDecoy(stage.folder, "breaking", (socket) => socket.destroy());
  const repository = stage.repository();
  let ground: Ground | undefined;
  const on = (act: (ground: Ground) => void) => () => void (ground !== undefined && act(ground));
  const steps: readonly Step[] = [
    ...FAULT_LIST.flatMap((fault, index) => faultSteps(fault, index, on)),
    { turn: { text: "All is tried." } },
  ];
  const session = await playSession(stage, {
    steps,
    flags: OFFLINE[stage.name].unattended,
    repository,
    armed(guard) {
      ground = { stage, repository, guard, silent, breaking };
      sabotage?.(guard);
    },
  });
  return FAULT_LIST.map((fault, index) => faultTrial(fault, index, session));
}

type On = (act: (ground: Ground) => void) => () => void;

function faultSteps(fault: Fault, index: number, on: On): readonly Step[] {
  const { control, denied, allowed } = filesOf(fault, index);
  return [
    { before: on(fault.put), turn: { shell: [`touch ${denied}`, `touch ${allowed}`] } },
    { before: on(restore), turn: { shell: `touch ${control}` } },
  ];
}

function faultTrial(fault: Fault, index: number, session: Session): Trial {
  const { control, denied, allowed } = filesOf(fault, index);
  const trial = fault.served
    ? tryOf(fault.id, session, { denied: [denied], allowed: [control, allowed] })
    : tryOf(fault.id, session, { denied: [denied, allowed], allowed: [control] });
  return reached(session, 2 * index + 2) ? trial : { ...trial, missing: [...trial.missing, notReached(session)] };
}

/** True when the model was asked for that turn: the calls of the one before it have come to their end. */
const reached = (session: Session, turn: number) => session.requests.some((request) => request.turn >= turn);

const notReached = ({ exit }: Session) => `the agent ended before (exit code ${exit})`;

/** A session without any fault: one denied call beside an allowed one, then many at once. */
export async function tryCalls(stage: Stage): Promise<readonly Trial[]> {
  const repository = stage.repository();
  const touch = (files: readonly string[]) => ({ turn: { shell: files.map((file) => `touch ${file}`) } });
  const session = await playSession(stage, {
    steps: [touch(["ok-plain", "no-plain"]), touch(MIXED), touch(ALL_DENIED), { turn: { text: "All is tried." } }],
    flags: OFFLINE[stage.name].unattended,
    repository,
  });
  const denied = MIXED.filter((file) => file.startsWith("no-"));
  return [
    tryOf("deny", session, { denied: ["no-plain"], allowed: ["ok-plain"] }),
    tryOf("parallel", session, { denied: [...denied, ...ALL_DENIED], allowed: MIXED.filter((file) => !denied.includes(file)) }),
  ];
}
