import type { AssistantMessage, UserMessage } from "./message.ts";
import type { LoggedDeed } from "./session-record.ts";
import type { ToolDeed } from "./engine-event.ts";

/** What a session has done, counted from the deeds of its calls. */
export interface WorkMetrics {
  readonly turns: number;
  readonly read: ReadonlySet<string>;
  readonly written: ReadonlySet<string>;
  readonly commands: number;
  /**
   * What the commands showed. A failure that was followed only by changes still stands; a success is kept when a later
   * command fails, as long as nothing was written in between.
   */
  readonly lastCommand: "none" | "succeeded" | "failed";
}

/** What was done since the prompt that is being worked on, however much of it the history still shows. */
export interface RecentWork extends WorkMetrics {
  /** What the person wrote: the prompt, and what came while the agent worked on it. */
  readonly asked: readonly string[];
  readonly calls: readonly CalledTool[];
}

export interface CalledTool {
  readonly name: string;
  /** What `bash` was told to run; missing if it is very long. */
  readonly command?: string;
}

/** Counts the work of a session. It goes on from what its log says was done before. */
export interface WorkCounter {
  readonly metrics: WorkMetrics;
  readonly recent: RecentWork;
  /** A prompt has come that begins something new. */
  begin(): void;
  /** A message of the session's own agent, or to it. */
  message(message: UserMessage | AssistantMessage): void;
  turn(): void;
  deeds(deeds: readonly (ToolDeed | LoggedDeed)[]): void;
}

export function workCounter(): WorkCounter {
  const whole = metricsCounter();
  let recent = metricsCounter();
  let asked: string[] = [];
  let calls: CalledTool[] = [];
  return {
    metrics: whole.metrics,
    get recent() {
      return { ...recent.metrics, asked, calls };
    },
    begin() {
      recent = metricsCounter();
      asked = [];
      calls = [];
    },
    message(message) {
      if (message.role === "user" && message.source === "person") asked.push(message.text);
      if (message.role === "assistant") calls.push(...calledTools(message));
    },
    turn() {
      for (const { metrics } of [whole, recent]) metrics.turns++;
    },
    deeds(deeds) {
      for (const deed of deeds) {
        whole.add(deed);
        recent.add(deed);
      }
    },
  };
}

/** A command beyond this is not kept. */
const MAX_COMMAND = 10_000;

const calledTools = ({ parts }: AssistantMessage) =>
  parts.flatMap((part): CalledTool[] => {
    if (part.type !== "call") return [];
    const { name, input } = part;
    const command = name === "bash" ? input["command"] : undefined;
    return [typeof command === "string" && command.length <= MAX_COMMAND ? { name, command } : { name }];
  });

function metricsCounter() {
  const lastCommand: WorkMetrics["lastCommand"] = "none";
  const metrics = { turns: 0, read: new Set<string>(), written: new Set<string>(), commands: 0, lastCommand };
  return { metrics, add: adder(metrics) };
}

type Counted = { -readonly [Field in keyof WorkMetrics]: WorkMetrics[Field] } & {
  readonly read: Set<string>;
  readonly written: Set<string>;
};

function adder(metrics: Counted): (deed: ToolDeed | LoggedDeed) => void {
  let hasSucceeded = false;
  return (deed) => {
    if (deed.kind === "read") metrics.read.add(deed.path);
    if (deed.kind === "write") {
      metrics.written.add(deed.path);
      hasSucceeded = false;
    }
    if (deed.kind !== "command") return;
    metrics.commands++;
    // One that still runs has not failed.
    if (deed.exitCode === 0 || deed.exitCode === null) hasSucceeded = true;
    metrics.lastCommand = hasSucceeded ? "succeeded" : "failed";
  };
}

/** A deed as a log keeps it. */
export function loggedDeed(deed: ToolDeed): LoggedDeed {
  switch (deed.kind) {
    case "write":
      return { kind: "write", path: deed.path, before: deed.before?.length ?? null, after: deed.after.length };
    case "command":
      return { kind: "command", exitCode: deed.exitCode };
    default:
      return deed;
  }
}
