import { firstFew, shortLine } from "../../lib/text/printable.ts";
import type { NativeTools } from "./session-tools.ts";

type WorkItem = ReturnType<NativeTools["allItems"]>[number];

/** What a model should know that no longer sees what it wrote down and started: its work items, and its commands. */
export function standing({ allItems, runningCommands }: Pick<NativeTools, "allItems" | "runningCommands">) {
  const names = runningCommands();
  const running = `Commands that you started in the background, for read_bash and stop_bash: ${names.join(", ")}`;
  return [...itemsForSummary(allItems()), ...(names.length === 0 ? [] : [running])];
}

/** How much of an item is told: the lengths in characters, the lists in entries. */
interface Bounds {
  readonly title: number;
  readonly note: number;
  readonly entries: number;
  readonly artifact: number;
}

const IN_STATE: Bounds = { title: 60, note: 0, entries: 3, artifact: 40 };
const IN_SUMMARY: Bounds = { title: 160, note: 160, entries: 5, artifact: 80 };
const MAX_OPEN = 40;
const MAX_CLOSED = 20;
const MAX_LINE = 500;

/** Open items in a few words each, with what they still wait for and what there is of them. */
export function itemsForState(items: readonly WorkItem[]): readonly string[] {
  const open = items.filter(isOpen);
  const ids = new Set(open.map(({ id }) => id));
  return open.map((item) =>
    itemLine({ ...item, dependsOn: item.dependsOn.filter((needed) => ids.has(needed)) }, IN_STATE),
  );
}

/** The items for a model that no longer sees how it wrote them: those that are open, then the last that were closed. */
export function itemsForSummary(items: readonly WorkItem[]): readonly string[] {
  const closed = items.filter((item) => !isOpen(item) && item.artifacts.length > 0).slice(-MAX_CLOSED);
  return [...block("Open work items", items.filter(isOpen)), ...block("Closed work items with artifacts", closed)];
}

const isOpen = ({ state }: WorkItem) => state !== "done" && state !== "dropped";

function block(title: string, items: readonly WorkItem[]): readonly string[] {
  if (items.length === 0) return [];
  const lines = items.map((item) => `- ${shortLine(itemLine(item, IN_SUMMARY), MAX_LINE)} (${item.state})`);
  return [`${title}:\n${firstFew(lines, MAX_OPEN, (more) => `- and ${more} more: call todo to see them`).join("\n")}`];
}

function itemLine({ id, title, note, dependsOn, artifacts }: WorkItem, bounds: Bounds): string {
  const after = few(dependsOn, bounds.entries);
  const there = few(
    artifacts.map((artifact) => shortLine(artifact, bounds.artifact)),
    bounds.entries,
  );
  return [
    `${id}: ${shortLine(title, bounds.title)}`,
    after === "" ? "" : ` (after ${after})`,
    note === "" || bounds.note === 0 ? "" : ` – ${shortLine(note, bounds.note)}`,
    there === "" ? "" : ` {${there}}`,
  ].join("");
}

const few = (texts: readonly string[], most: number) => firstFew(texts, most, (more) => `${more} more`).join(", ");
