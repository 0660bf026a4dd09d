import * as z from "zod";

export const ItemState = z.enum(["pending", "in_progress", "blocked", "done", "dropped"]);
export type ItemState = z.infer<typeof ItemState>;

/** One piece of work, as the model divided it. */
export interface WorkItem {
  readonly id: string;
  readonly title: string;
  readonly state: ItemState;
  readonly note: string;
  readonly dependsOn: readonly string[];
  /** Files, commits or addresses that show it is done. */
  readonly artifacts: readonly string[];
}

export interface ItemChange {
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
