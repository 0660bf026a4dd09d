import type { Agent } from "../agents/agent.ts";

/** Words with which any agent is told to work without a person. */
const ALONE = /^(?:-p|--print|--prompt|-[a-zA-Z]*p|exec|e|review|--print=.*|--prompt=.*)$/;

/** Whether an agent with these words works without a person, whatever stands on its terminal. In doubt it does. */
export const worksAlone = ({ alone }: Agent, flags: readonly string[]): boolean =>
  flags.some((word) => ALONE.test(word) || alone?.test(word) === true);
