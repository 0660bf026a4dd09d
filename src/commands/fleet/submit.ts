import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join, normalize, resolve } from "node:path";
import type { Policy } from "../../contract/policy.ts";
import { Uuid } from "../../contract/value.ts";
import type { WorkOrder } from "../../contract/work-order.ts";
import {
  type FleetOrder,
  MAX_ATTEMPTS,
  MAX_ORDER_BYTES,
  Need,
  readOrder,
  signDocument,
} from "../../fleet/documents.ts";
import type { Fleet } from "../../fleet/port.ts";
import { packWorkspace } from "../../fleet/workspace.ts";
import { judge } from "../../guard/judge/judge.ts";
import { redact, secretValues } from "../../guard/redact.ts";
import { HOST_NAMES } from "../../hosts/named-host.ts";
import { canonicalJson } from "../../lib/json/json-value.ts";
import { sha256 } from "../../lib/json/sha256.ts";
import { currentFolder } from "../../lib/path/workspace.ts";
import { UserError } from "../../lib/text/user-error.ts";
import { checkOrderEnvironment, readOrderPolicy } from "../../receipts/run/read-order.ts";
import { sealKey } from "../../receipts/seal/seal.ts";
import { chosenPolicy } from "../active-policy.ts";
import { acceptPatterns, countFlag, type Flags, textFlag, textsFlag } from "../flags.ts";
import { orderOf, readTask, roundsFlag, seconds } from "../run/order.ts";
import { screenedMachine } from "../screened-machine.ts";

/** The flags of `signalbox run` that mean the same for an order. */
export const SUBMIT_FLAGS: readonly string[] = (
  "--agent --task --prompt-file --order --accept --rounds --accept-keep --accept-changed --root --include --exclude " +
  "--context --allow-tool --deny-tool --approve-tool --deny-read --deny-write --allow-host --deny-host --model " +
  "--max-turns --max-budget-usd --timeout --idle --param --env --require-sandbox --json"
).split(" ");

interface SubmitPlace {
  readonly fleet: Fleet;
  readonly home: string;
}

/** Signs an order and queues it with its workspace. The same order is queued once. */
export async function submitOrder(
  words: readonly string[],
  flags: Flags,
  { fleet, home }: SubmitPlace,
): Promise<{ readonly id: string; readonly isNew: boolean }> {
  const { agent, task } = agentAndTask(words, flags);
  const order = orderOf(await readTask(task, flags), { ...flags, staged: true }, agent);
  const root = resolve(currentFolder(), order.workspace.root);
  checkOrder(order);
  const scratch = mkdtempSync(join(tmpdir(), "signalbox-fleet-"));
  try {
    const { bundle, commit } = await packWorkspace(root, scratch);
    const workspace = { bundle: await fleet.putBlob(bundle), commit };
    const unnamed = { ...unnamedOrder({ agent, order, flags, policy: chosenPolicy({}, root).policy }), workspace };
    const body = withId(unnamed, flags);
    const document = signDocument("order", body, sealKey(home));
    const size = Buffer.byteLength(document);
    if (size > MAX_ORDER_BYTES)
      throw new UserError(`this order has ${size} bytes; a fleet takes at most ${MAX_ORDER_BYTES}`, {
        where: "signalbox fleet submit",
        fix: "put long texts into files of the workspace",
      });
    const notBefore = body.not_before === null ? 0 : Date.parse(body.not_before);
    const { id, needs, attempts } = body;
    const stored = await fleet.submit({ id, document, needs, notBefore, attempts });
    if (!stored.isNew && !isSame(stored.document, document, home))
      throw new UserError("another order was submitted under this key", { where: id, fix: "choose another --key" });
    return { id, isNew: stored.isNew };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The agent must be named: which one is active is a matter of this machine. */
function agentAndTask(words: readonly string[], flags: Flags): { agent: string; task: string | undefined } {
  const flag = textFlag(flags, "agent");
  const [first, ...rest] = flag === undefined ? words : [flag, ...words];
  const given = [...rest, ...(textFlag(flags, "task") === undefined ? [] : [textFlag(flags, "task") ?? ""])];
  if (first === undefined || !(HOST_NAMES.includes(first) || first === "native"))
    throw new UserError("name the agent that does the work", {
      where: "signalbox fleet submit",
      fix: `use one of: ${[...HOST_NAMES, "native"].join(", ")}`,
    });
  if (given.length > 1)
    throw new UserError("more than one task was given", { where: "signalbox fleet submit", fix: "quote the task" });
  return { agent: first, task: given[0] };
}

/** What `run` would refuse on the worker is refused here. */
function checkOrder(order: WorkOrder): void {
  readOrderPolicy(order);
  checkOrderEnvironment(order.config.env);
  for (const [name, value] of Object.entries(order.config.env))
    if (secretValues({ [name]: value }).length > 0 || redact(value).count > 0)
      throw new UserError(`--env ${name} looks like a secret; orders are stored and sent`, {
        where: `--env ${name}`,
        fix: `set ${name} on the worker, and pass its name: --secret ${name}`,
      });
  const outside = order.context.files.find((file) => isAbsolute(file) || normalize(file).startsWith(".."));
  if (outside !== undefined)
    throw new UserError("a file outside the workspace is not sent to the worker", {
      where: `--context ${outside}`,
      fix: "copy it into the workspace",
    });
}

interface OrderParts {
  readonly agent: string;
  readonly order: WorkOrder;
  readonly flags: Flags;
  readonly policy: Policy;
}

type Unnamed = Omit<FleetOrder, "id" | "version" | "signer" | "workspace">;

function unnamedOrder({ agent, order, flags, policy }: OrderParts): Unnamed {
  const accept = textsFlag(flags, "accept");
  const { acceptKeep, acceptChanged } = acceptPatterns(flags, accept.length > 0);
  return {
    agent,
    order: { ...order, workspace: { ...order.workspace, root: ".", mode: "staged" } },
    accept: [...accept],
    accept_keep: acceptKeep,
    accept_changed: acceptChanged,
    rounds: roundsFlag(flags),
    timeout: seconds(flags, "timeout"),
    idle: seconds(flags, "idle"),
    require_sandbox: flags["requireSandbox"] === true,
    secrets: secretNames(flags),
    needs: needsOf(agent, flags),
    not_before: notBeforeOf(flags),
    attempts: attemptsOf(flags, policy),
  };
}

function secretNames(flags: Flags): string[] {
  const names = [...new Set(textsFlag(flags, "secret"))].toSorted();
  const plain = names.find((name) => secretValues({ [name]: "any long value" }).length === 0);
  if (plain === undefined) return names;
  throw new UserError(`${plain} is not the name of a secret, so its value would not be kept out of receipts`, {
    where: `--secret ${plain}`,
    fix: "use a name such as API_KEY or DEPLOY_TOKEN",
  });
}

function needsOf(agent: string, flags: Flags): string[] {
  const given = textsFlag(flags, "needs").flatMap((list) => list.split(","));
  const bad = given.find((need) => !Need.safeParse(need).success);
  if (bad !== undefined)
    throw new UserError(`${JSON.stringify(bad)} is not something that a worker can have`, {
      where: "--needs",
      fix: "use label=NAME or agent=NAME, for example --needs label=gpu",
    });
  const proven = flags["proven"] === true ? [`proven=${agent}`] : [];
  return [...new Set([...given, `agent=${agent}`, ...proven])].toSorted();
}

function notBeforeOf(flags: Flags): string | null {
  const text = textFlag(flags, "notBefore");
  if (text === undefined) return null;
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw new UserError(`${JSON.stringify(text)} is not a time`, {
    where: "--not-before",
    fix: "for example --not-before 2027-01-31T02:00:00Z",
  });
}

const USUAL_ATTEMPTS = 3;

/** What pushes or publishes may have done so before its worker was lost, so it is not repeated unasked. */
function attemptsOf(flags: Flags, policy: Policy): number {
  const given = countFlag(flags, "attempts", MAX_ATTEMPTS, 1);
  if (flags["retry"] === false) return 1;
  if (given !== undefined) return given;
  const mayPublish = ["git push origin HEAD", "npm publish"].some((line) => {
    const call = { tool: "Bash", input: { command: line }, cwd: policy.workspaceRoot };
    return judge(call, policy, screenedMachine).verdict === "allow";
  });
  return mayPublish ? 1 : USUAL_ATTEMPTS;
}

/** An order that comes from a file has an id; else the key, or what it says, decides. */
function withId(body: Omit<FleetOrder, "id" | "version" | "signer">, flags: Flags) {
  const key = textFlag(flags, "key");
  const { id: _random, ...order } = body.order;
  const { bundle: _packed, ...workspace } = body.workspace;
  const content = canonicalJson({ ...body, order, workspace });
  const named = sha256(`signalbox fleet ${key === undefined ? "order" : "key"} ${key ?? content}`).slice(0, 32);
  const id = key === undefined && flags["order"] !== undefined ? body.order.id : Uuid.parse(named);
  return { ...body, id, order: { ...body.order, id } };
}

/** Git need not pack the same commit into the same bytes. */
function isSame(stored: string, ours: string, home: string): boolean {
  const content = (line: string) => {
    const read = readOrder(line, [{ ...sealKey(home), file: undefined }]);
    return read.good ? canonicalJson({ ...read.body, workspace: read.body.workspace.commit }) : undefined;
  };
  return content(ours) !== undefined && content(stored) === content(ours);
}
