import { ChildProcess } from "node:child_process";
import { openSync, writeSync } from "node:fs";
import { Server, Socket } from "node:net";
import { join } from "node:path";
import { threadId } from "node:worker_threads";

// Every instrumented file imports a copy of this one. A process writes one log: a line per mark, and between two
// marks a line with the number of each function that ran.
const FOLDER = join(import.meta.dirname, "calls");
const log = openSync(join(FOLDER, `${process.pid}-${threadId}-${process.hrtime.bigint()}`), "a");
const sinceMark = new Set<number>();

let loading = 0;

function reportCall(id: number): void {
  if (loading > 0 || sinceMark.has(id)) return;
  sinceMark.add(id);
  writeSync(log, `${id}\n`);
}

function mark(kind: string, text: string): void {
  sinceMark.clear();
  writeSync(log, `${JSON.stringify([kind, text])}\n`);
}

/**
 * Called on a module's first and last line: a function that only builds a table while its module loads is not on the
 * walk.
 */
function reportLoading(step: 1 | -1, isProgram: boolean): void {
  if (!isProgram) loading += step;
}

Object.assign(globalThis, { __reportCall: reportCall, __reportLoading: reportLoading });

before(ChildProcess.prototype, "spawn", (_, [options]) => mark("spawn", JSON.stringify(options, ["file", "args"])));
before(Server.prototype, "emit", (_, [event, socket]) => {
  if (event === "connection" && socket instanceof Socket) watch(socket);
});

/** Marks when a connection is accepted, what is read from it, and when it is written to. */
function watch(socket: Socket): void {
  const name = `${(connections += 1)}`;
  mark("connected", name);
  before(socket, "push", (_, [chunk]) => chunk instanceof Buffer && mark(`read ${name}`, chunk.toString("utf8")));
  for (const method of ["write", "end"]) before(socket, method, () => mark(`written ${name}`, ""));
}
let connections = 0;

function before(owner: object, method: string, look: (self: unknown, args: readonly unknown[]) => void): void {
  const original: unknown = Reflect.get(owner, method);
  if (typeof original !== "function") throw new Error(`there is no method ${method}`);
  const value = function (this: unknown, ...args: unknown[]): unknown {
    look(this, args);
    return Reflect.apply(original, this, args);
  };
  Object.defineProperty(owner, method, { value, configurable: true, writable: true });
}
