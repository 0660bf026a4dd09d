import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type BoardEntry, LaunchEvent, LaunchHeader } from "../contract/board-entry.ts";
import { launchesFolder } from "../hooks/server-protocol.ts";
import { EARLIER_EVENTS, LAUNCH_EVENTS, LAUNCH_HEADER } from "../launch/launch-events.ts";
import { folderNames } from "../lib/files/folder-tree.ts";
import { lastChanged } from "../lib/files/prune.ts";
import { newerFormat } from "../lib/json/file-format.ts";
import { parseJson } from "../lib/json/parse-json.ts";
import { type Life, ownerLife } from "../lib/process/folder-owner.ts";
import { isMissing, messageOf } from "../lib/text/user-error.ts";
import { type Moment, launchState, type Said } from "./launch-state.ts";
import { readTail, recordIn } from "./read-tail.ts";

/** The launches whose folders are there: those that run, and those whose signalbox was killed. */
export const readLaunches = (home: string, now: Moment): readonly BoardEntry[] =>
  launchFolders(home).flatMap((folder) => launchEntry(folder, now) ?? []);

const launchFolders = (home: string) =>
  folderNames(launchesFolder(home)).map((name) => join(launchesFolder(home), name));

const launchId = (folder: string) => basename(folder).replace(/\.\d+$/, "");

/** The folder of a launch, while it is there. */
export const launchFolder = (home: string, id: string): string | undefined =>
  launchFolders(home).find((folder) => launchId(folder) === id);

/** Undefined for one that has ended while it was read. */
function launchEntry(folder: string, now: Moment): BoardEntry | undefined {
  const life = ownerLife(folder);
  const id = launchId(folder);
  const unknown = { id, kind: "launch" as const, agent: "?", folder: "", task: "", isLive: life === "alive" };
  const more = { calls: null, denied: null, restorable: false, receipt: null };
  const nothing = { state: "unknown", source: "process", since: lastChanged(folder) } as const;
  try {
    const header = headerIn(folder);
    // Removed meanwhile, or killed before it began.
    if (header === undefined && (!Number.isFinite(nothing.since) || life === "dead")) return undefined;
    if (header === undefined) return { ...unknown, ...more, ...nothing, why: "nothing was reported yet" };
    const { agent, folder: root } = header;
    const events = launchEvents(folder);
    if (events === undefined && life === "alive")
      return { ...unknown, ...more, ...nothing, agent, folder: root, why: "its events could not be written" };
    const calls = (events ?? []).filter((event) => event.t === "call");
    return {
      ...unknown,
      ...more,
      agent,
      folder: root,
      ...stateOf(life, { header, events: events ?? [], now }),
      calls: calls.length,
      denied: calls.filter(({ verdict }) => verdict === "deny").length,
    };
  } catch (error) {
    return { ...unknown, ...more, ...nothing, why: messageOf(error) };
  }
}

interface Known {
  readonly header: LaunchHeader;
  readonly events: readonly LaunchEvent[];
  readonly now: Moment;
}

function stateOf(life: Life, { header, events, now }: Known): Said {
  const since = events.at(-1)?.at ?? header.started;
  switch (life) {
    case "alive":
      return launchState(header, events, now);
    case "dead":
      return { state: "interrupted", source: "process", since, why: "its signalbox was killed" };
    case "unknown":
      return { state: "unknown", source: "process", since, why: "it runs, or ran, where its process cannot be seen" };
  }
}

function headerIn(folder: string): LaunchHeader | undefined {
  let value: unknown;
  try {
    value = parseJson(readFileSync(join(folder, LAUNCH_HEADER), "utf8"));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  const newer = newerFormat(value);
  if (newer !== undefined) throw new Error(newer);
  return LaunchHeader.parse(value);
}

/** What the hooks of a launch have reported, oldest first; undefined where nothing could be kept. */
export function launchEvents(folder: string): readonly LaunchEvent[] | undefined {
  const newest = readTail(join(folder, LAUNCH_EVENTS));
  if (newest === undefined) return undefined;
  const earlier = readTail(join(folder, EARLIER_EVENTS))?.lines ?? [];
  return [...earlier, ...newest.lines].flatMap((line) => LaunchEvent.safeParse(recordIn(line)).data ?? []);
}
