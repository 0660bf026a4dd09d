import { UserError } from "../../lib/text/user-error.ts";

/** The first Node with locks (node:sqlite without a flag) and with the JSON functions that receipts need. */
const OLDEST = "22.13";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const [oldestMajor = 0, oldestMinor = 0] = OLDEST.split(".").map(Number);
if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor))
  throw new UserError(`signalbox/backplane needs Node ${OLDEST} or newer, and this is ${process.version}`, {
    where: process.execPath,
    fix: "run your program with a newer Node, or call the signalbox command, which brings its own: signalbox run --json",
  });
