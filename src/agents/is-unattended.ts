import type { Agent } from "./pack/agent.ts";

/** Words that tell any agent to work unattended. */
const UNATTENDED = /^(?:-p|--print|--prompt|-[a-zA-Z]*p|exec|e|review|--print=.*|--prompt=.*)$/;

/** Whether an agent started with these words works unattended, even on a terminal. True in case of doubt. */
export const isUnattended = ({ unattendedFlags }: Agent, flags: readonly string[]): boolean =>
  flags.some((word) => UNATTENDED.test(word) || unattendedFlags?.test(word) === true);
