import { existsSync } from "node:fs";
import { glob, open, stat } from "node:fs/promises";
import { join } from "node:path";
import { addUsage, NO_USAGE, type Usage, usageSince } from "../contract/receipt.ts";
import { isRecord } from "../lib/json/json-value.ts";
import { parseJson } from "../lib/json/parse-json.ts";

/** What an agent used, by its own transcripts. They have tokens; none says what they cost. */
interface TranscriptUsage {
  /** Reads what is new in the transcript of the conversation, and in those of its sub-agents. */
  readonly read: (transcript: string) => void;
  /** Reads the last of it. Undefined where nothing was told, or reading takes longer than this. */
  readonly end: (milliseconds: number) => Promise<Usage | undefined>;
}

/** Lines that are older than `since` belong to an earlier start of the same conversation. */
export function openTranscriptUsage(since: Date): TranscriptUsage {
  const files = new Map<string, FileUsage>();
  let last: string | undefined;
  let reading: Promise<unknown> = Promise.resolve();
  const readAll = async (transcript: string) => {
    // Claude Code keeps those of sub-agents in a folder beside the transcript.
    const beside = join(transcript.replace(/\.jsonl$/, ""), "subagents");
    const others = existsSync(beside) ? await Array.fromAsync(glob("*.jsonl", { cwd: beside })) : [];
    for (const path of [transcript, ...others.map((name) => join(beside, name))]) {
      const file = files.get(path) ?? openFile(path, since);
      files.set(path, file);
      await file.read();
    }
  };
  const read = (transcript: string) => {
    last = transcript;
    // One that cannot be read tells nothing.
    reading = reading.then(async () => await readAll(transcript)).catch(() => files.clear());
  };
  return {
    read,
    async end(milliseconds) {
      if (last === undefined) return undefined;
      read(last);
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<"late">((resolve) => (timer = setTimeout(() => resolve("late"), milliseconds)));
      const ended = await Promise.race([reading, late]);
      clearTimeout(timer);
      const told = ended === "late" ? [] : [...files.values()].flatMap((file) => file.usage());
      return told.length === 0 ? undefined : told.reduce(addUsage, NO_USAGE);
    },
  };
}

interface FileUsage {
  readonly read: () => Promise<void>;
  readonly usage: () => readonly Usage[];
}

const CHUNK = 1024 * 1024;

/** A line can hold a whole picture. */
const MAX_LINE = 64 * CHUNK;

/** A transcript, which grows by whole lines. */
function openFile(path: string, since: Date): FileUsage {
  const answers = new Map<unknown, Usage>();
  let before = NO_USAGE;
  let total: Usage | undefined;
  let offset = 0;
  const take = (line: string) => {
    const record = /"usage"|"token_count"/.test(line) ? parseJson(line) : undefined;
    if (!isRecord(record)) return;
    const { timestamp, message, payload } = record;
    const isOld = typeof timestamp !== "string" || Date.parse(timestamp) < since.getTime();
    // Claude Code writes a line for every part of an answer.
    if (isRecord(message) && isRecord(message["usage"]) && !isOld)
      answers.set(message["id"], usageIn(message["usage"], "cache_read_input_tokens", "cache_creation_input_tokens"));
    // Codex goes on counting when it resumes.
    const counted = isRecord(payload) && isRecord(payload["info"]) ? payload["info"]["total_token_usage"] : undefined;
    if (!isRecord(counted)) return;
    const usage = usageIn(counted, "cached_input_tokens", "cache_write_input_tokens");
    if (isOld) before = usage;
    else total = usage;
  };
  return {
    async read() {
      if (!(await stat(path)).isFile()) throw new Error("not a file");
      const file = await open(path);
      try {
        for (let size = CHUNK; ;) {
          const { bytesRead, buffer } = await file.read(Buffer.alloc(size), 0, size, offset);
          const end = buffer.lastIndexOf("\n", bytesRead - 1);
          for (const line of buffer.toString("utf8", 0, end + 1).split("\n")) take(line);
          offset += end + 1;
          if (bytesRead < size) return;
          size = end === -1 ? 2 * size : CHUNK;
          if (size > MAX_LINE) throw new Error("a line of the transcript is too long");
        }
      } finally {
        await file.close();
      }
    },
    usage: () => [...answers.values(), ...(total === undefined ? [] : [usageSince(total, before, COUNTED)])],
  };
}

const COUNTED = ["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"] as const;

type Counts = Readonly<Record<string, unknown>>;

const usageIn = (counts: Counts, read: string, written: string): Usage => ({
  ...NO_USAGE,
  input_tokens: countIn(counts, "input_tokens"),
  output_tokens: countIn(counts, "output_tokens"),
  cache_read_tokens: countIn(counts, read),
  cache_write_tokens: countIn(counts, written),
});

function countIn(counts: Counts, name: string): number | null {
  const value = counts[name];
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
