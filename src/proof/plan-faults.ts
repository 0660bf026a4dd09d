import { openDecoy } from "./decoy.ts";
import { type Fault, FAULT_LIST, type Ground, restore } from "./faults.ts";
import { playSession, type TrialSession, type ScriptStep } from "./session.ts";
import type { TrialPlace } from "./trial-place.ts";
import { type Trial, tryOf } from "./trial.ts";

/** The files that a fault's two turns try to write: without the fault, and with it denied or allowed. */
const filesOf = ({ id }: Fault, index: number) => {
  const name = `${index}-${id.replace("fault.", "")}`;
  return { control: `ok-${name}`, denied: `no-${name}`, allowed: `still-${name}` };
};

/**
 * One session that goes through every fault, restoring everything after each. The allowed call in the restored state
 * shows that the guard was in place and that the agent could run calls.
 */
export async function tryFaults(stage: TrialPlace): Promise<readonly Trial[]> {
  using silent = await openDecoy(stage.folder, "silent", () => {});
  using breaking = await openDecoy(stage.folder, "breaking", (socket) => socket.destroy());
  const repository = stage.repository();
  let ground: Ground | undefined;
  const on = (act: (ground: Ground) => void) => () => void (ground !== undefined && act(ground));
  const steps: readonly ScriptStep[] = [
    ...FAULT_LIST.flatMap((fault, index) => faultSteps(fault, index, on)),
    { turn: { text: "Everything has been tried." } },
  ];
  const session = await playSession(stage, {
    steps,
    flags: stage.offline.unattended,
    repository,
    onInstalled(guard) {
      ground = { stage, repository, guard, silent, breaking };
    },
  });
  return FAULT_LIST.map((fault, index) => faultTrial(fault, index, session));
}

type On = (act: (ground: Ground) => void) => () => void;

function faultSteps(fault: Fault, index: number, on: On): readonly ScriptStep[] {
  const { control, denied, allowed } = filesOf(fault, index);
  return [
    { before: on(fault.put), turn: { shell: [`touch ${denied}`, `touch ${allowed}`] } },
    { before: on(restore), turn: { shell: `touch ${control}` } },
  ];
}

function faultTrial(fault: Fault, index: number, session: TrialSession): Trial {
  const { control, denied, allowed } = filesOf(fault, index);
  const trial = fault.served
    ? tryOf(fault.id, session, { denied: [denied], allowed: [control, allowed] })
    : tryOf(fault.id, session, { denied: [denied, allowed], allowed: [control] });
  return reached(session, 2 * index + 2) ? trial : { ...trial, missing: [...trial.missing, notReached(session)] };
}

/** True if the model was asked for this turn, which means that the previous turn's calls have finished. */
const reached = (session: TrialSession, turn: number) => session.requests.some((request) => request.turn >= turn);

const notReached = ({ exit }: TrialSession) => `the agent ended too early (exit code ${exit})`;
