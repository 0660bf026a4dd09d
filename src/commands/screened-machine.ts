import { realMachine } from "../guard/machine/real-machine.ts";
import { commandScreen } from "../guard/screen/screen-command.ts";
import { screen } from "../guard/screen/screen.ts";

/** This machine as calls are judged on it: with the screen for what their commands say. */
export const screenedMachine = { ...realMachine, screen: commandScreen(screen) };
