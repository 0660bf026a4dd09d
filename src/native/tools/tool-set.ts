import * as z from "zod";
import type { AuditEntry } from "../../contract/verdict.ts";
import type { ImageLimits } from "../../contract/message.ts";
import type { KnownSkill } from "../../contract/knowledge.ts";
import type { LanguageServers } from "../../contract/language-servers.ts";
import type { Machine } from "../../contract/machine.ts";
import type { Policy } from "../../contract/policy.ts";
import type { Screening } from "../../contract/screening.ts";
import type { AskPerson, EditorBuffers, Permit, Tool } from "../../contract/tool.ts";
import { realMachine } from "../../guard/machine/real-machine.ts";
import { policyHash } from "../../guard/policy/compiled-policy.ts";
import { matchesSegment } from "../../lib/path/glob.ts";
import { isRecord } from "../../lib/json/json-value.ts";
import { commandScreen } from "../../guard/screen/screen-command.ts";
import { screen } from "../../guard/screen/screen.ts";
import { type AskUser, askUser, reportIntent } from "./conversation-tools.ts";
import { bash, readBash, stopBash } from "./bash.ts";
import { type CommandContainment, UNCONTAINED } from "../../sandbox/run/contained-commands.ts";
import { openCommandRunner } from "../../sandbox/run/command-runner.ts";
import { commandMarks } from "../../sandbox/run/left-commands.ts";
import { edit } from "./edit.ts";
import { fetch } from "./fetch.ts";
import { type FileStates, fileStates, read } from "./read.ts";
import { pathGate } from "./path-gate.ts";
import { glob, grep } from "./search.ts";
import { guardPermit } from "./guard-permit.ts";
import { todo, type WorkItems } from "./work-items.ts";
import { lsp, withNewErrors } from "./lsp.ts";
import { findRipgrep } from "./ripgrep.ts";
import { selfDocumentation, skillTool, storeMemoryTool } from "./knowledge-tools.ts";
import { searchProvider, webSearch } from "./web-search.ts";
import { write } from "./write.ts";

export interface ToolSetParts {
  readonly policy: Policy;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The caller, for the log. */
  readonly session: string;
  readonly agent: string;
  readonly append: (entry: AuditEntry) => void;
  readonly redact: (text: string) => string;
  /** A private folder for output that is too long to show; the model may read it. */
  readonly outputFolder: string;
  /** The user's signalbox folder. */
  readonly signalboxHome: string;
  /** The docs/ folder of our own package. */
  readonly docsFolder: string;
  readonly items: WorkItems;
  readonly tainted: () => boolean;
  /** Called when a text from outside tries to steer the model. */
  readonly onSuspicion: (screening: Screening, channel: string) => void;
  readonly askPerson?: AskPerson | undefined;
  readonly askUser?: AskUser | undefined;
  /** Files that an editor has open. */
  readonly buffers?: EditorBuffers | undefined;
  /** What the model in use accepts of an image. */
  readonly imageLimits?: (() => ImageLimits | undefined) | undefined;
  readonly filters?: readonly ToolFilter[] | undefined;
  /** The skills that the model may use; their files may be read. */
  readonly skills?: readonly KnownSkill[] | undefined;
  /** The language servers of the project, if it has any. The caller closes them. */
  readonly languageServers?: LanguageServers | undefined;
  /** Tools that others bring, behind our own. */
  readonly more?: readonly Tool[] | undefined;
  /** Shared by the agents of one session; see `PermitParts`. */
  readonly approved?: Set<string> | undefined;
  readonly keepVariables?: readonly string[] | undefined;
  readonly world?: Machine | undefined;
  /** Where commands run. The caller closes it. */
  readonly containment?: CommandContainment | undefined;
}

/** The tools of one session behind the guard. Closing it ends every command that is not detached. */
export interface ToolSet extends AsyncDisposable {
  readonly tools: readonly Tool[];
  readonly permit: Permit;
  /** Must be called when results leave the history; see `FileStates`. */
  readonly forgetShown: FileStates["forgetShown"];
  /** Must be called when turns were taken back. */
  readonly forgetSeen: FileStates["forgetSeen"];
  /** The names of commands that were started in the background and have not been stopped. */
  readonly runningCommands: () => readonly string[];
  /** Must be called with texts from outside before the model sees them. */
  readonly onOutsideText: (text: string, channel: string) => void;
}

export function openToolSet(parts: ToolSetParts): ToolSet {
  const { environment, outputFolder, askPerson, tainted, skills = [], world = realMachine } = parts;
  const own = skills.filter(({ isOwn }) => isOwn).map(({ folder }) => folder);
  const policy = withReadable(parts.policy, [outputFolder, ...own]);
  const workspace = policy.workspaceRoot;
  const gate = pathGate(policy, world);
  const { keepVariables, containment = UNCONTAINED, languageServers } = parts;
  const runner = openCommandRunner({
    policy,
    environment,
    keepVariables,
    outputFolder,
    marksFolder: commandMarks(parts.signalboxHome),
    containment,
  });
  const onOutsideText = (text: string, channel: string): void => {
    const screening = screen(text, { channel });
    if (screening.risk !== "none" && screening.risk !== "low") parts.onSuspicion(screening, channel);
  };
  const real = gate.real(workspace);
  const buffers = parts.buffers && { ...parts.buffers, workspace: real };
  const files = { gate, states: fileStates(), buffers, imageLimits: parts.imageLimits };
  const search = { gate, workspace, ripgrep: () => findRipgrep(workspace, environment["PATH"]) };
  const web = { policy, world, outputFolder, onOutsideText };
  const provider = searchProvider(environment);
  const tools: readonly Tool[] = [
    read(files),
    withNewErrors(write(files), languageServers),
    withNewErrors(edit(files), languageServers),
    bash({ runner, workspace, takeNotes: containment.takeNotes }),
    readBash(runner),
    stopBash(runner),
    grep(search),
    glob(search),
    ...(languageServers === undefined ? [] : [lsp({ ...files, workspace: real, servers: languageServers })]),
    fetch(web),
    ...(provider === undefined ? [] : [webSearch(provider, web)]),
    todo(parts.items),
    ...(parts.askUser === undefined ? [] : [askUser(parts.askUser)]),
    reportIntent,
    storeMemoryTool({ home: parts.signalboxHome, workspace, tainted }),
    selfDocumentation({ folder: parts.docsFolder, outputFolder }),
    ...(skills.length === 0 ? [] : [skillTool({ skills, outputFolder })]),
    ...(parts.more ?? []),
  ];
  const judged = { ...world, screen: commandScreen(screen) };
  const permit = guardPermit({ ...parts, containment, policy, gate, ask: askPerson, machine: judged });
  return {
    tools: filterTools(tools, parts.filters ?? []).map((tool) => ({ ...tool, inputSchema: leanSchema(tool.input) })),
    permit(call, signal) {
      if (call.name === "bash") runner.getReady();
      return permit(call, signal);
    },
    forgetShown: (isGone) => files.states.forgetShown(isGone),
    forgetSeen: () => files.states.forgetSeen(),
    runningCommands: () => runner.names(),
    onOutsideText,
    [Symbol.asyncDispose]: () => runner.close(),
  };
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
 * The JSON Schema of an input, reduced to what tells a model how to call. It is sent with every request, so size
 * matters.
 */
function leanSchema(input: z.ZodType): Readonly<Record<string, unknown>> {
  return lean(z.toJSONSchema(input, { io: "input", target: "draft-7" }));
}

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

/** Which tools a model sees. Patterns are globs over names. */
export interface ToolFilter {
  /** If there are any, only these. */
  readonly allow?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
  readonly isToolEnabled?: ((name: string) => boolean) | undefined;
}

/** The tools that every filter allows; no filter can undo another's denial. */
export function filterTools(tools: readonly Tool[], filters: readonly ToolFilter[]): readonly Tool[] {
  return tools.filter(({ name }) =>
    filters.every(({ allow = [], deny = [], isToolEnabled = () => true }) => {
      const listed = (patterns: readonly string[]) => patterns.some((pattern) => matchesSegment(pattern, name));
      return !listed(deny) && (allow.length === 0 || listed(allow)) && isToolEnabled(name);
    }),
  );
}
