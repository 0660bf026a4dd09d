import { join } from "node:path";
import * as z from "zod";
import type { WorkMode } from "../../contract/engine-settings.ts";
import type { KnownSkill } from "../../contract/knowledge.ts";
import type { Policy } from "../../contract/policy.ts";
import type { AskPerson, AskUser, Permit, Tool } from "../../contract/tool.ts";
import { realMachine } from "../../guard/machine/real-machine.ts";
import { policyHash } from "../../guard/policy/compiled-policy.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { endAll } from "../../lib/process/tasks.ts";
import { bash, readBash, stopBash } from "./bash.ts";
import { askUser, reportIntent } from "./conversation-tools.ts";
import { guardPermit, READ_ONLY, readingPermit, type Recording } from "./guard-permit.ts";
import { selfDocumentation, skillTool, storeMemoryTool } from "./knowledge-tools.ts";
import { lsp, withNewErrors } from "./lsp.ts";
import { pathGate } from "./path-gate.ts";
import { type FileStates, fileStates, read } from "./read.ts";
import { findRipgrep } from "./ripgrep.ts";
import { glob, grep } from "./search.ts";
import { filterTools } from "./tool-names.ts";
import { fetchPage, searchProvider, webSearch } from "./web.ts";
import { openWorkItems, todo, type WorkItems } from "./work-items.ts";
import { commandsIn, type Workplace } from "./workplace.ts";
import { edit, write } from "./write.ts";

/** What one agent has for itself. */
interface ToolUser {
  /** Of a sub-agent, which has work items of its own, and a name of its own in the log. */
  readonly id?: string | undefined;
  readonly mode: { readonly current: WorkMode };
  readonly askPerson: AskPerson | undefined;
  readonly askUser: AskUser | undefined;
  /** The skills that it may use; their files may be read. */
  readonly skills: readonly KnownSkill[];
  /** Which of its tools it has, beside the filters of the workplace. */
  readonly isEnabled?: ((name: string) => boolean) | undefined;
  /** It may look at things and change nothing. */
  readonly isReadOnly?: boolean;
}

/** The tools of one agent behind the guard. Closing it ends every command that is not detached. */
export interface ToolSet extends AsyncDisposable {
  readonly tools: readonly Tool[];
  /** The same for tools that others bring, behind our own. */
  readonly offered: (tools: readonly Tool[]) => readonly Tool[];
  readonly permit: Permit;
  readonly items: WorkItems;
  /** Must be called when results leave the history; see `FileStates`. */
  readonly forgetShown: FileStates["forgetShown"];
  /** Must be called when turns were taken back. */
  readonly forgetSeen: FileStates["forgetSeen"];
  /** The names of commands that were started in the background and have not been stopped. */
  readonly runningCommands: () => readonly string[];
}

export function openToolSet(workplace: Workplace, user: ToolUser): ToolSet {
  const { environment, home, privateFolder, containment, languageServers } = workplace;
  const { id, skills, isEnabled: isToolEnabled } = user;
  const ownFolders = skills.filter(({ isOwn }) => isOwn).map(({ folder }) => folder);
  const policy = withReadable(workplace.policy, [privateFolder, ...ownFolders]);
  const workspace = policy.workspaceRoot;
  const gate = pathGate(policy, realMachine);
  const runner = commandsIn({ ...workplace, policy });
  const items = openWorkItems(join(privateFolder, id === undefined ? "items.db" : `${id}.items.db`));
  const real = gate.real(workspace);
  const buffers = workplace.buffers && { ...workplace.buffers, workspace: real };
  const files = { gate, states: fileStates(), buffers, imageLimits: workplace.imageLimits };
  const ripgrep = () => findRipgrep(workspace, environment["PATH"]);
  const web = { policy, outputFolder: privateFolder, onOutsideText: workplace.onOutsideText };
  const provider = searchProvider(environment);
  const all: readonly Tool[] = [
    read(files),
    withNewErrors(write(files), languageServers),
    withNewErrors(edit(files), languageServers),
    bash({ runner, workspace, takeNotes: containment.takeNotes }),
    readBash(runner),
    stopBash(runner),
    grep(gate, workspace, ripgrep),
    glob(gate, workspace, ripgrep),
    ...(languageServers === undefined ? [] : [lsp({ servers: languageServers, gate, workspace: real, buffers })]),
    fetchPage(web),
    ...(provider === undefined ? [] : [webSearch(provider, web)]),
    todo(items),
    ...(user.askUser === undefined ? [] : [askUser(user.askUser)]),
    reportIntent,
    storeMemoryTool(home, workspace, workplace.isTainted),
    selfDocumentation(privateFolder),
    ...(skills.length === 0 ? [] : [skillTool(skills, privateFolder)]),
  ];
  const offered = (tools: readonly Tool[]) =>
    filterTools(tools, [...workplace.filters, { isToolEnabled }]).map(withLeanSchema);
  const record = workplace.recordAs(id === undefined ? "native" : `native/${id}`);
  const guarded = guardPermit({ ...workplace, policy, gate, record, askPerson: user.askPerson });
  return {
    tools: offered(all),
    offered,
    permit: modePermit(readyFirst(guarded, runner), workspace, record, user),
    items,
    forgetShown: (isGone) => files.states.forgetShown(isGone),
    forgetSeen: () => files.states.forgetSeen(),
    runningCommands: () => runner.names(),
    async [Symbol.asyncDispose]() {
      await runner.close();
      endAll([() => items[Symbol.dispose]()], workplace.warn);
    },
  };
}

/** What commands need is opened while the guard thinks. */
const readyFirst =
  (guarded: Permit, runner: { readonly getReady: () => void }): Permit =>
  (call, signal) => {
    if (call.name === "bash") runner.getReady();
    return guarded(call, signal);
  };

/** The same guard, with what the user's mode or the agent's definition forbids before it is asked. */
function modePermit(guarded: Permit, workspace: string, record: Recording, { mode, isReadOnly }: ToolUser): Permit {
  const planned = readingPermit(guarded, workspace, record, { isOn: () => mode.current === "plan" });
  return isReadOnly === true
    ? readingPermit(planned, workspace, record, { isOn: () => true, words: READ_ONLY })
    : planned;
}

/** Allows reading output that was too long to show, and the user's skills. The log still names the original policy. */
const withReadable = (policy: Policy, folders: readonly string[]): Policy => ({
  ...policy,
  hash: policyHash(policy),
  paths: { ...policy.paths, readRoots: [...policy.paths.readRoots, ...folders] },
});

/** Schema keywords that a model does not need, because violations are answered with a message anyway. */
const DROPPED = new Set(
  "$schema additionalProperties minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems pattern default".split(
    " ",
  ),
);

/**
 * With the JSON Schema of its input, reduced to what tells a model how to call. It is sent with every request, so size
 * matters.
 */
const withLeanSchema = (tool: Tool): Tool => ({
  ...tool,
  inputSchema: lean(z.toJSONSchema(tool.input, { io: "input", target: "draft-7" })),
});

function lean(schema: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => !DROPPED.has(key))
      .map(([key, value]) => [key, key === "properties" ? eachProperty(value) : isRecord(value) ? lean(value) : value]),
  );
}

/** Property names belong to the tool and are never dropped. */
const eachProperty = (properties: object) =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, isRecord(schema) ? lean(schema) : schema]),
  );
