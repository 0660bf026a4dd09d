import { existsSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import * as z from "zod";
import { gateReason } from "../../contract/gate-reason.ts";
import type { Tool } from "../../contract/tool.ts";
import { newerFormat } from "../../lib/json/file-format.ts";
import { shortLine } from "../../lib/text/printable.ts";
import { UserError } from "../../lib/text/user-error.ts";
import type { Gate } from "../engine/gates.ts";
import { answer } from "./answer.ts";

const Id = z
  .string()
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, "an id consists of words and digits joined by -")
  .max(60);

const ItemState = z.enum(["pending", "in_progress", "blocked", "done", "dropped"]);

const Input = z.strictObject({
  items: z
    .array(
      z.strictObject({
        id: Id,
        title: z.string().min(1).max(200).optional(),
        state: ItemState.optional(),
        note: z.string().max(1000).optional(),
        depends_on: z.array(Id).max(50).optional(),
        artifacts: z.array(z.string().min(1).max(500)).max(50).optional(),
      }),
    )
    .max(100)
    .default([]),
});

export const todo = (items: WorkItems): Tool<typeof Input> => ({
  name: "todo",
  description: "Add or change work items (a new one needs a title) and see all of them. Use it for multi-step work.",
  input: Input,
  sideBySide: false,
  async run({ items: changes }) {
    items.apply(changes);
    return answer(showItems(items.list()));
  },
});

const SIGNS = { pending: "[ ]", in_progress: "[>]", blocked: "[!]", done: "[x]", dropped: "[-]" } as const;

/** Work items as short lines. */
function showItems(items: readonly WorkItem[]): string {
  if (items.length === 0) return "(no items)";
  return items
    .map(({ id, title, state, note, dependsOn, artifacts }) =>
      [
        `${SIGNS[state]} ${id}: ${title}`,
        dependsOn.length === 0 ? "" : ` (after ${dependsOn.join(", ")})`,
        note === "" ? "" : ` – ${note}`,
        artifacts.length === 0 ? "" : ` {${artifacts.join(", ")}}`,
      ].join(""),
    )
    .join("\n");
}

type ItemState = z.infer<typeof ItemState>;

/** One piece of work, as the model divided it. */
interface WorkItem {
  readonly id: string;
  readonly title: string;
  readonly state: ItemState;
  readonly note: string;
  readonly dependsOn: readonly string[];
  /** Files, commits or addresses that show it is done. */
  readonly artifacts: readonly string[];
}

interface ItemChange {
  readonly id: string;
  readonly title?: string | undefined;
  readonly state?: ItemState | undefined;
  readonly note?: string | undefined;
  readonly depends_on?: readonly string[] | undefined;
  readonly artifacts?: readonly string[] | undefined;
}

/** The work items of one session. */
export interface WorkItems extends Disposable {
  /** Adds and changes items, all or none. Throws with a message for the model. */
  apply(changes: readonly ItemChange[]): void;
  list(): readonly WorkItem[];
  /** Neither done nor dropped. */
  open(): readonly WorkItem[];
}

const SCHEMA = `
  create table if not exists items (
    id text primary key, title text not null, state text not null, note text not null default '', place integer not null
  ) strict;
  create table if not exists dependencies (
    item text not null references items (id), needs text not null references items (id), primary key (item, needs)
  ) strict;
  create table if not exists artifacts (
    item text not null references items (id), artifact text not null, primary key (item, artifact)
  ) strict;
`;

const MAX_ITEMS = 500;

/**
 * The items in a file, or in memory with `:memory:`. The file is created with the first item, because most sessions
 * need none.
 */
export function openWorkItems(path: string): WorkItems {
  let opened: DatabaseSync | undefined;
  const database = (): DatabaseSync => (opened ??= openDatabase(path));
  const list = () => (opened === undefined && !existsSync(path) ? [] : readItems(database()));
  return {
    apply(changes) {
      if (changes.length > 0) applyAll(database(), changes);
    },
    list,
    open: () => list().filter(({ state }) => state !== "done" && state !== "dropped"),
    [Symbol.dispose]: () => opened?.close(),
  };
}

function openDatabase(path: string): DatabaseSync {
  const { DatabaseSync: Database } = process.getBuiltinModule("node:sqlite");
  const database = new Database(path);
  const { user_version: version } = Version.parse(database.prepare("pragma user_version").get());
  const newer = newerFormat({ version });
  if (newer !== undefined) {
    database.close();
    throw new UserError(`the work items were ${newer}`, { where: path, fix: "update signalbox" });
  }
  database.exec("pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = on");
  database.exec(`${SCHEMA} pragma user_version = 1;`);
  return database;
}

const Version = z.object({ user_version: z.number() });

function applyAll(database: DatabaseSync, changes: readonly ItemChange[]): void {
  database.exec("begin immediate");
  try {
    for (const change of changes) applyChange(database, change);
    refuseNonsense(readItems(database));
    database.exec("commit");
  } catch (error) {
    database.exec("rollback");
    throw error;
  }
}

function applyChange(database: DatabaseSync, change: ItemChange): void {
  const { id, title, state, note } = change;
  const known = database.prepare("select 1 from items where id = ?").get(id) !== undefined;
  if (!known && title === undefined) throw new Error(`unknown item ${id}; a new one needs a title`);
  if (!known)
    database
      .prepare("insert into items (id, title, state, place) values (?, ?, 'pending', (select count(*) from items))")
      .run(id, title ?? "");
  database
    .prepare(
      "update items set title = coalesce(?, title), state = coalesce(?, state), note = coalesce(?, note) where id = ?",
    )
    .run(title ?? null, state ?? null, note ?? null, id);
  if (change.depends_on !== undefined) {
    database.prepare("delete from dependencies where item = ?").run(id);
    for (const needs of change.depends_on) addDependency(database, id, needs);
  }
  for (const artifact of change.artifacts ?? [])
    database.prepare("insert or ignore into artifacts (item, artifact) values (?, ?)").run(id, artifact);
}

function addDependency(database: DatabaseSync, item: string, needs: string): void {
  if (database.prepare("select 1 from items where id = ?").get(needs) === undefined)
    throw new Error(`${item} depends on ${needs}, which does not exist; add that first`);
  database.prepare("insert or ignore into dependencies (item, needs) values (?, ?)").run(item, needs);
}

const Row = z.object({ id: z.string(), title: z.string(), state: ItemState, note: z.string() });

const Pair = z.object({ item: z.string(), value: z.string() });

function readItems(database: DatabaseSync): readonly WorkItem[] {
  const pairs = (sql: string) => Map.groupBy(Pair.array().parse(database.prepare(sql).all()), ({ item }) => item);
  const needs = pairs("select item, needs as value from dependencies order by rowid");
  const artifacts = pairs("select item, artifact as value from artifacts order by rowid");
  const values = (found: readonly z.infer<typeof Pair>[] = []) => found.map(({ value }) => value);
  return Row.array()
    .parse(database.prepare("select id, title, state, note from items order by place").all())
    .map((row) => ({ ...row, dependsOn: values(needs.get(row.id)), artifacts: values(artifacts.get(row.id)) }));
}

/** Invalid lists: cycles, and items done before their dependencies. */
function refuseNonsense(items: readonly WorkItem[]): void {
  if (items.length > MAX_ITEMS) throw new Error(`more than ${MAX_ITEMS} items; use fewer, larger items`);
  const byId = new Map(items.map((item) => [item.id, item]));
  for (const { id, state, dependsOn } of items) {
    const waiting = dependsOn.find((needs) => !["done", "dropped"].includes(byId.get(needs)?.state ?? ""));
    if (state === "done" && waiting !== undefined) throw new Error(`${id} cannot be done before ${waiting}`);
  }
  const settled = new Set<string>();
  for (let before = -1; before !== settled.size;) {
    before = settled.size;
    for (const { id, dependsOn } of items) if (dependsOn.every((needs) => settled.has(needs))) settled.add(id);
  }
  const circular = items.find(({ id }) => !settled.has(id));
  if (circular !== undefined) throw new Error(`${circular.id} depends on itself, directly or through others`);
}

/** What a model should know that no longer sees what it wrote down and started: its work items, and its commands. */
export function standing(items: WorkItems, runningCommands: readonly string[]): readonly string[] {
  const running = `Commands that you started in the background, for read_bash and stop_bash: ${runningCommands.join(", ")}`;
  return [...itemsForSummary(items.list()), ...(runningCommands.length === 0 ? [] : [running])];
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
  const lines = items
    .slice(0, MAX_OPEN)
    .map((item) => `- ${shortLine(itemLine(item, IN_SUMMARY), MAX_LINE)} (${item.state})`);
  const more = items.length > MAX_OPEN ? [`- and ${items.length - MAX_OPEN} more: call todo to see them`] : [];
  return [`${title}:\n${[...lines, ...more].join("\n")}`];
}

function itemLine({ id, title, note, dependsOn, artifacts }: WorkItem, bounds: Bounds): string {
  const after = fewOf(dependsOn, bounds.entries);
  const there = fewOf(
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

const fewOf = (texts: readonly string[], most: number) =>
  [...texts.slice(0, most), ...(texts.length > most ? [`${texts.length - most} more`] : [])].join(", ");

const MAX_NAMED = 10;

const MAX_TITLE = 120;

/** Work items that were begun or never begun. One that is blocked says itself why it is not done. */
export function workItemsGate(items: WorkItems): Gate {
  const left = () => items.open().filter(({ state }) => state !== "blocked");
  return {
    name: "work-items",
    exitCode: 9,
    most: 3,
    state: () =>
      left()
        .map(({ id, state }) => `${id} ${state}`)
        .join(),
    async check() {
      const open = left();
      if (open.length === 0) return undefined;
      const named = open.slice(0, MAX_NAMED).map(({ id, title }) => `${id} (${shortLine(title, MAX_TITLE)})`);
      const more = open.length > MAX_NAMED ? [`and ${open.length - MAX_NAMED} more`] : [];
      const count = open.length === 1 ? "a work item is" : `${open.length} work items are`;
      return gateReason(`${count} still open: ${[...named, ...more].join(", ")}`, CLOSE);
    },
  };
}

const CLOSE =
  "Do what is left, then close each item with todo: done when it is done, dropped when it is not needed, blocked with a note when it cannot be done now.";
