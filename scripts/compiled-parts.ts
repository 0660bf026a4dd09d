import { spawn } from "node:child_process";
import { hash } from "node:crypto";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BuildOptions } from "esbuild";

/**
 * The start of a release. A part is one function in its own file, with V8's compiled code next to it, which includes
 * functions compiled on first call (Node's own cache omits those). The hash of the text surrounds the compiled code,
 * because V8 itself only compares a length: code for another text, or an incomplete file, is ignored. A different V8
 * version also ignores it and compiles again.
 */
const ENTRY = `"use strict";
const { readFileSync } = require("node:fs");
const { Script } = require("node:vm");

const scripts = new Map();

class Damaged extends Error {}

function compile(name) {
  const filename = __dirname + "/" + name + ".part.js";
  try {
    const text = readFileSync(filename, "latin1");
    return new Script(text, { filename, cachedData: compiledForm(name, text.slice(2, 66)) });
  } catch (error) {
    throw new Damaged(filename + " is missing or damaged (" + error.message + "); install signalbox again");
  }
}

function compiledForm(name, hash) {
  try {
    const form = readFileSync(__dirname + "/" + name + ".compiled");
    const isWhole = form.latin1Slice(0, 64) === hash && form.subarray(-64).latin1Slice() === hash;
    return isWhole ? form.subarray(64, -64) : undefined;
  } catch {
    return undefined;
  }
}

function load(name) {
  const script = compile(name);
  const part = { exports: {} };
  scripts.set(name, script);
  const filename = __dirname + "/" + name + ".part.js";
  script.runInThisContext()(part.exports, require, part, filename, __dirname, (later) => import(later));
  return part.exports;
}

function start() {
  try {
    load("main");
  } catch (error) {
    if (!(error instanceof Damaged)) throw error;
    require("node:fs").writeSync(2, "signalbox: " + error.message + "\\n");
    process.exitCode = 70;
  }
}

module.exports = { load, scripts };
require("node:module").enableCompileCache(__dirname + "/cache");
if (require.main === module) start();
`;

/** How a part is built: as the body of the function that the entry calls. */
export const partOptions: BuildOptions = {
  outExtension: { ".js": ".part.js" },
  banner: { js: "(function(exports,require,module,__filename,__dirname,importLater){" },
  footer: { js: "})" },
};

export function writeEntry(dist: string): string {
  const entry = join(dist, "signalbox.cjs");
  writeFileSync(entry, ENTRY);
  return entry;
}

/**
 * Adds the hash to a part and makes it pure ASCII, so that it is stored with one byte per character, in half the
 * memory.
 * esbuild leaves other characters only in regular expressions, where they can be escaped.
 */
export function finishPart(dist: string, name: string): void {
  const file = join(dist, `${name}.part.js`);
  const number = (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
  const text = readFileSync(file, "utf8").replaceAll(/[^\0-\x7f]/g, number);
  // To Node only the entry is a module, so it imports for all parts.
  const whole = text.replaceAll(/(?<![\w$.])import\("/g, 'importLater("');
  writeFileSync(file, `/*${hash("sha256", whole)}*/${whole}`);
}

/** Runs a release from its entry, then saves what was compiled of these parts, merged with what was saved before. */
const RECORDER = `
const { readFileSync, renameSync, writeFileSync } = require("node:fs");
const [entry, names, ...rest] = process.argv.slice(1);
const { load, scripts } = require(entry);
process.argv = [process.argv[0], entry, ...rest];
const largest = new Map();
function take() {
  for (const [name, script] of scripts) {
    const data = script.createCachedData();
    if (data.length > (largest.get(name)?.length ?? 0)) largest.set(name, data);
  }
}
// V8 discards the code of functions that have not run for a while.
setInterval(take, 200).unref();
process.on("exit", () => {
  take();
  // Where there is no sandbox, its part was not loaded.
  for (const name of names.split(",").filter((each) => largest.has(each))) {
    const place = entry.replace(/signalbox\\.cjs$/, name);
    const hash = readFileSync(place + ".part.js").subarray(2, 66);
    writeFileSync(place + ".compiled.new", Buffer.concat([hash, largest.get(name), hash]), { flush: true });
    renameSync(place + ".compiled.new", place + ".compiled");
  }
});
load("main");
`;

interface Recording {
  readonly parts: readonly string[];
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

export async function record(dist: string, { parts, args, cwd, env }: Recording): Promise<void> {
  const argv = ["-e", RECORDER, "--", join(dist, "signalbox.cjs"), parts.join(","), ...args];
  const child = spawn(process.execPath, argv, { cwd, env, stdio: ["ignore", "ignore", "pipe"] });
  const stderr: string[] = [];
  child.stderr.on("data", (chunk: Buffer) => void stderr.push(String(chunk)));
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`signalbox ${args.join(" ")} ended with ${String(code)}: ${stderr.join("")}`);
}
