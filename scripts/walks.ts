// Counts the source files in which a function ran on each walk: real agents, a scripted model, and a copy of src in
// which every function reports its calls (except those made while a module loads), in every process that signalbox
// starts.
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { InstrumentedTree, type LogEntry } from "./walks/instrumented-tree.ts";
import { OfflineScene } from "./walks/offline-scene.ts";
import { duringToolCall, untilAgentStarts } from "./walks/windows.ts";

const USAGE = `usage: npm run walks -- [--src CHECKOUT] [--files]

Counts the source files in which a function ran during a launch, a tool call, a work order and a turn.
--src CHECKOUT  measure this checkout (default: this one); it needs node_modules and test/agents/.install
--files         also list the files of each walk`;

/** Rooms that are the same long detour on every walk. The counts are also printed without them. */
const LEFT_OUT = new Set(["guard", "shell", "sandbox", "hooks", "lib"]);

interface Run {
  readonly args: readonly string[];
  /** The walks to count in this run, and the part of a process's log that belongs to each. */
  readonly walks: Readonly<Record<string, (log: readonly LogEntry[]) => readonly LogEntry[]>>;
}

const CLAUDE_FLAGS = ["--dangerously-skip-permissions", "--model", "claude-sonnet-4-5"];
// Codex's own sandbox does not work on every machine.
const CODEX_FLAGS = ["--param", 'flags=["--dangerously-bypass-approvals-and-sandbox"]'];

const RUNS: readonly Run[] = [
  {
    args: ["claude", "--prompt-file", "t.md", "--", ...CLAUDE_FLAGS],
    walks: {
      "(a) launch, until the agent starts": untilAgentStarts,
      "(a) launch, to its end": (log) => log,
      "(b) tool call, request to answer": duringToolCall,
    },
  },
  { args: ["run", "codex", "x", "--accept", "npm test", ...CODEX_FLAGS], walks: { "(c) work order": (log) => log } },
  { args: ["native", "-p", "x", "--accept", "npm test"], walks: { "(d) turn": (log) => log } },
];

interface Walk {
  readonly walk: string;
  /** The file of every function that ran, once per function. */
  readonly ran: readonly string[];
}

async function measure(checkout: string): Promise<readonly Walk[]> {
  using tree = new InstrumentedTree(checkout);
  const measured: Walk[] = [];
  for (const { args, walks } of RUNS) {
    await using scene = await OfflineScene.open({ checkout, place: tree.place });
    const logs = await tree.logsOf(() => scene.run(tree.cli, args));
    for (const [walk, part] of Object.entries(walks)) {
      const ids = new Set(logs.flatMap(part).filter((entry) => typeof entry === "number"));
      if (ids.size === 0) throw new Error(`no function ran: ${walk}`);
      measured.push({ walk, ran: [...ids].map((id) => tree.fileOf(id)) });
    }
  }
  return measured;
}

const roomOf = (file: string) => file.split("/")[1] ?? "";
const isCounted = (file: string) => !LEFT_OUT.has(roomOf(file));

function countsOf({ walk, ran }: Walk) {
  const counted = ran.filter(isCounted);
  return {
    walk,
    files: new Set(ran).size,
    functions: ran.length,
    "files without": new Set(counted).size,
    "functions without": counted.length,
    // A tool call mostly stays in hooks, and an agent's hooks may be in hooks or in the agent's own room.
    "files without, but with hooks": new Set(ran.filter((file) => isCounted(file) || roomOf(file) === "hooks")).size,
  };
}

function printFiles({ walk, ran }: Walk): void {
  console.log(`\n${walk}`);
  for (const file of [...new Set(ran)].toSorted()) console.log(`${isCounted(file) ? "  " : "- "}${file}`);
}

const { values } = parseArgs({
  options: {
    src: { type: "string", default: join(import.meta.dirname, "..") },
    files: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (values.help) console.log(USAGE);
else {
  const walks = await measure(resolve(values.src));
  console.table(walks.map(countsOf));
  console.log(`without: the same without ${[...LEFT_OUT].join(", ")}${values.files ? " (marked -)" : ""}`);
  if (values.files) walks.forEach(printFiles);
}
