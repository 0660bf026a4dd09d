import * as z from "zod";

/**
 * How a session works. `ask`: the rules decide, and what needs approval is asked. `plan`: it only reads, until the plan
 * is approved. `auto`: it works on by itself until it says that the task is complete, and nobody is asked.
 */
export const WorkMode = z.enum(["ask", "plan", "auto"]);
export type WorkMode = z.infer<typeof WorkMode>;

/** What the model is told when the user has approved its plan. */
export const PLAN_APPROVED = "The plan is approved: carry it out.";
