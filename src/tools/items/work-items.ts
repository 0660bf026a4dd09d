import { DatabaseSync } from "node:sqlite";
import * as z from "zod";

export const ItemState = z.enum(["pending", "in_progress", "blocked", "done", "dropped"]);
export type ItemState = z.infer<typeof ItemState>;

/** One piece of the work, as the model has cut it. */
export interface WorkItem {
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
  /** Adds and changes items, all or none. Throws with a sentence for the model. */
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

const MOST_ITEMS = 500;

/** Opens the items in a file, or in memory with `:memory:`. */
export function openWorkItems(path: string): WorkItems {
  const database = new DatabaseSync(path);
  database.exec("pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = on");
  database.exec(SCHEMA);
  const list = () => readItems(database);
  return {
    apply(changes) {
      database.exec("begin immediate");
      try {
        for (const change of changes) applyChange(database, change);
        refuseNonsense(list());
        database.exec("commit");
      } catch (error) {
        database.exec("rollback");
        throw error;
      }
    },
    list,
    open: () => list().filter(({ state }) => state !== "done" && state !== "dropped"),
    [Symbol.dispose]: () => database.close(),
  };
}

function applyChange(database: DatabaseSync, change: ItemChange): void {
  const { id, title, state, note } = change;
  const known = database.prepare("select 1 from items where id = ?").get(id) !== undefined;
  if (!known && title === undefined) throw new Error(`there is no item ${id}; a new one needs a title`);
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

/** What a list of work may not say: circles, and done before what it depends on. */
function refuseNonsense(items: readonly WorkItem[]): void {
  if (items.length > MOST_ITEMS) throw new Error(`more than ${MOST_ITEMS} items; cut the work less finely`);
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
