import type { Agent } from "./pack/agent.ts";

/** Words with which any agent is told to work without a person. */
const UNATTENDED = /^(?:-p|--print|--prompt|-[a-zA-Z]*p|exec|e|review|--print=.*|--prompt=.*)$/;

/** Whether an agent with these words works without a person, whatever stands on its terminal. In doubt it does. */
export const isUnattended = ({ unattendedFlags }: Agent, flags: readonly string[]): boolean =>
  flags.some((word) => UNATTENDED.test(word) || unattendedFlags?.test(word) === true);
