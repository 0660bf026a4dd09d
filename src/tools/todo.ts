import * as z from "zod";
import type { Tool } from "../contract/tool.ts";
import { answer } from "./answer.ts";
import { ItemState, type WorkItem, type WorkItems } from "./items/work-item.ts";

const Id = z
  .string()
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, "an id consists of words and digits joined by -")
  .max(60);

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
