import { join } from "node:path";

/** Where a server of a session that signalbox did not launch says how it is reached. Nobody else reads or writes there. */
export const serversFolder = (home: string) => join(home, "servers");
