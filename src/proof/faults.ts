import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { dirname, join } from "node:path";
import type { InstalledHooks } from "../hooks/install/guarded-start.ts";
import { fitsSocket } from "../lib/path/inside.ts";
import type { FaultId } from "./guarantees.ts";
import { PROOF_POLICY, type TrialStage } from "./trial-stage.ts";
import { playSession, type ScriptStep, type Trial, type TrialSession, tryOf } from "./trial.ts";

/** The files that a fault's two turns try to write: without the fault, and with it denied or allowed. */
const filesOf = ({ id }: Fault, index: number) => {
  const name = `${index}-${id.replace("fault.", "")}`;
  return { control: `ok-${name}`, denied: `no-${name}`, allowed: `still-${name}` };
};

/**
 * One session that goes through every fault, restoring everything after each. The allowed call in the restored state
 * shows that the guard was in place and that the agent could run calls.
 */
export async function tryFaults(stage: TrialStage): Promise<readonly Trial[]> {
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

/** Where faults are injected while an agent works. */
interface Ground {
  readonly stage: TrialStage;
  readonly repository: string;
  readonly guard: InstalledHooks;
  /** Servers that accept a call and never answer, or drop the connection. */
  readonly silent: Decoy;
  readonly breaking: Decoy;
}

/** Something that goes wrong, and what must happen then. */
interface Fault {
  readonly id: FaultId;
  readonly put: (ground: Ground) => void;
  /** True if allowed calls still run, because the fallback answers. Otherwise nothing at all may run. */
  readonly served: boolean;
}

const shut = (id: FaultId, put: Fault["put"]): Fault => ({ id, put, served: false });

const served = (id: FaultId, put: Fault["put"]): Fault => ({ id, put, served: true });

const answering = (id: FaultId, script: string) => shut(id, (ground) => putAnswerer(ground, script));

/** Where no interpreter is. */
export const NOWHERE = "/nonexistent/interpreter";

const withoutInterpreter = (script: string) => script.replace(/^#!.*/, `#!${NOWHERE}`);

const NOTHING_AT_ALL = "{ id: proof.nothing, argv: [touch], verdict: deny, because: replaced }";

const REPOSITORY_POLICY = ".signalbox/policy.yaml";

const WIDENING =
  'version: 1\nrules:\n  - { id: wide, argv: [touch], verdict: allow }\npaths: { deny_write: ["!no-*"] }\n';

const putPolicy = (stage: TrialStage, text: string) => putFile(join(stage.signalbox, "policy.yaml"), text);

const auditOf = (stage: TrialStage) => [join(stage.signalbox, "audit"), join(stage.signalbox, "audit.kept")] as const;

/** All faults, in an order that one session can go through. After the last one, there is no server. */
const FAULT_LIST: readonly Fault[] = [
  // The server opens its log at its first decision, so this fault comes first.
  shut("fault.audit-full", ({ stage }) => blockAudit(stage)),
  shut("fault.audit-full", (ground) => {
    blockAudit(ground.stage);
    putWrapper(ground, { client: undefined });
  }),
  answering("fault.exit-1", "echo '{}'; exit 1"),
  answering("fault.exit-3", "echo '{}'; exit 3"),
  answering("fault.silent", "exit 0"),
  answering("fault.garbage", "echo 'all is well, go on'"),
  answering("fault.two-objects", "echo '{}'; echo '{}'"),
  answering("fault.10-mb", "head -c 10485760 /dev/zero | tr '\\0' x"),
  shut("fault.hangs", (ground) => putAnswerer(ground, "exec sleep 30", ground.silent)),
  shut("fault.killed", ({ guard }) => putFile(guard.wrapper, "#!/bin/sh\nkill -9 $$\n")),
  shut("fault.killed", (ground) => putAnswerer(ground, "kill -9 $$")),
  shut("fault.missing", ({ guard }) => rmSync(guard.wrapper)),
  shut("fault.not-executable", ({ guard }) => chmodSync(guard.wrapper, 0o600)),
  shut("fault.no-interpreter", ({ guard }) => putFile(guard.wrapper, withoutInterpreter(guard.wrapperWith({})))),
  shut("fault.no-interpreter", (ground) => putWrapper(ground, { client: undefined, node: NOWHERE })),
  shut("fault.policy-broken", ({ stage }) => putPolicy(stage, "version: 1\nrules: [")),
  shut("fault.policy-replaced", ({ stage }) => putPolicy(stage, `${PROOF_POLICY}rules:\n  - ${NOTHING_AT_ALL}\n`)),
  served("fault.policy-replaced", ({ repository }) => putFile(join(repository, REPOSITORY_POLICY), WIDENING)),
  served("fault.socket-gone", (ground) => putWrapper(ground, { client: nowhere(ground) })),
  served("fault.server-killed", (ground) => putWrapper(ground, { client: decoyClient(ground, ground.breaking) })),
  served("fault.server-killed", ({ guard }) => guard.stopServer()),
];

/** Restores everything, except for a server that has ended. */
function restore({ guard, stage, repository }: Ground): void {
  putFile(guard.wrapper, guard.wrapperWith({}));
  stage.sabotage(guard);
  putPolicy(stage, PROOF_POLICY);
  rmSync(join(repository, ".signalbox"), { recursive: true, force: true });
  const [audit, backup] = auditOf(stage);
  if (!existsSync(backup)) return;
  rmSync(audit);
  renameSync(backup, audit);
}

/** Replaces a file atomically, since an agent may be about to start it. */
function putFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, text, { mode: 0o700 });
  renameSync(`${path}.new`, path);
}

function putWrapper({ guard }: Ground, changed: Partial<InstalledHooks["parts"]>): void {
  putFile(guard.wrapper, guard.wrapperWith(changed));
}

/** Puts a faulty program in place of the bundle, with no server, or with a misbehaving one. */
function putAnswerer(ground: Ground, script: string, decoy?: Decoy): void {
  const bundle = join(ground.stage.folder, "answerer");
  putFile(bundle, script);
  const deadline = ground.guard.parts.deadline;
  putWrapper(ground, {
    client: decoy === undefined ? undefined : decoyClient(ground, decoy),
    node: "/bin/sh",
    bundle,
    seconds: 1,
    // The last argument is the timeout.
    deadline: deadline.length === 0 ? [] : [...deadline.slice(0, -1), "1"],
  });
}

function decoyClient({ guard }: Ground, decoy: Decoy) {
  return guard.parts.client === undefined ? undefined : decoy.client(guard.parts.client);
}

function nowhere({ guard }: Ground) {
  const { client } = guard.parts;
  if (client === undefined) return undefined;
  return client.kind === "bash" ? { ...client, port: 1 } : { ...client, socket: `${client.socket}.gone` };
}

/** Puts a plain file where the log's folder should be, so that writes fail as on a full disk. */
function blockAudit(stage: TrialStage): void {
  const [audit, backup] = auditOf(stage);
  mkdirSync(audit, { recursive: true });
  renameSync(audit, backup);
  writeFileSync(audit, "");
}

type HookClient = NonNullable<InstalledHooks["parts"]["client"]>;

/** A misbehaving server in place of ours. */
interface Decoy extends Disposable {
  /** How a wrapper reaches it, by the same means as it reaches ours. */
  readonly client: (like: HookClient) => HookClient;
}

/**
 * Listens on a port, and on a socket where that name is possible, like our own server. `serve` gets each connection
 * once its first bytes have arrived.
 */
async function openDecoy(folder: string, name: string, serve: (socket: Socket) => void): Promise<Decoy> {
  const open: Socket[] = [];
  const take = (socket: Socket) => {
    open.push(socket);
    socket.on("error", () => socket.destroy());
    socket.once("data", () => serve(socket));
  };
  const path = join(folder, `${name}.socket`);
  const [onPort, onPath] = [createServer(take), createServer(take)];
  onPort.listen({ host: "127.0.0.1", port: 0 });
  await once(onPort, "listening");
  if (fitsSocket(path)) await once(onPath.listen({ path }), "listening");
  const port = portOf(onPort);
  return {
    client: (like) => (like.kind === "bash" ? { ...like, port } : { ...like, socket: path }),
    [Symbol.dispose]() {
      for (const socket of open) socket.destroy();
      onPort.close();
      onPath.close();
    },
  };
}

function portOf(server: Server): number {
  const address = server.address();
  return address !== null && typeof address === "object" ? address.port : 0;
}
