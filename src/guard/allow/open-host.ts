/** The command that opens a host to every command. Its usual port needs no mention. */
export const hostCommand = (target: string): string => `signalbox guard allow --host ${target.replace(/:443$/, "")}`;
