import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { everything, writeFiles } from "../../support/git-repository.ts";
import type { Kind, Twin } from "./row.ts";
import { SHELL } from "./snippets.ts";
import { makeWorkspace } from "./workspace.ts";

const KEY_TEXT = "planted-key-of-the-test";
const KEY_SIZE = 4321;
/** A zip with the key in it. */
const KEY_ZIP = Buffer.from(
  "UEsDBBQAAAAAAAAAIQBVO/7eFwAAABcAAAAHAAAAa2V5LnR4dHBsYW50ZWQta2V5LW9mLXRoZS10ZXN0UEsBAhQDFAAAAAAAAAAhAFU7/t4XAAAAFwAAAAcAAAAAAAAAAAAAAIABAAAAAGtleS50eHRQSwUGAAAAAAEAAQA1AAAAPAAAAAAA",
  "base64",
);
/** The first is not the usual address, so clients do not leave out the proxy for it; a name leads to the second. */
const ADDRESSES = ["127.0.0.2", "127.0.0.1"] as const;
/** How long the process sleeps by which it is recognized. */
const NAP = `86399.${process.pid}`;
const GITCONFIG = "[user]\n\tname = Ann\n\temail = ann@example.invalid\n";

/** A home with a project, a planted key, and a folder beside the project; scenes are copies of it. */
export function makeTemplate(): string {
  const home = newFolder();
  const key = `${KEY_TEXT.padEnd(KEY_SIZE - 1, ".")}\n`;
  writeFiles(home, { ".gitconfig": GITCONFIG, "outside/keep.txt": "kept\n" });
  mkdirSync(join(home, ".ssh"), { mode: 0o700 });
  writeFiles(home, { ".ssh/id_planted": key, ".ssh/keys.zip": KEY_ZIP });
  chmodSync(join(home, ".ssh/id_planted"), 0o600);
  execFileSync("git", ["init", "-q", "--bare", join(home, "outside/bare.git")]);
  makeWorkspace(join(home, "work/project"));
  return home;
}

const newFolder = () => realpathSync(mkdtempSync(join(tmpdir(), "signalbox-test-")));

/** A throw-away home, and what tells whether a twin did what it tries. */
export class Scene implements AsyncDisposable {
  readonly home = newFolder();
  readonly workspace = join(this.home, "work/project");
  readonly #outside = join(this.home, "outside");
  readonly #template: string;
  readonly #nap: ChildProcess;
  readonly #napExit: Promise<unknown>;
  readonly #servers: readonly Server[];
  #connections = 0;
  #before: Record<string, string> = {};

  static async open(template: string): Promise<Scene> {
    return new Scene(template, await Promise.all(ADDRESSES.map(listen)));
  }

  private constructor(template: string, servers: readonly Server[]) {
    this.#template = template;
    this.#servers = servers;
    for (const server of servers) server.on("connection", () => void this.#connections++);
    this.#nap = spawn("sleep", [NAP], { stdio: "ignore" });
    this.#napExit = once(this.#nap, "exit");
    cpSync(template, this.home, { recursive: true });
    // Copies have other inodes, and git would write every file anew.
    execFileSync("git", ["update-index", "-q", "--refresh"], { cwd: this.workspace });
  }

  /** Plants everything anew, writes the twin's files, and returns its command with the places filled in. */
  prepare(kind: Kind, twin: Twin, ordinary: string): string {
    rmSync(this.#outside, { recursive: true, force: true });
    for (const name of ["outside", ".ssh"])
      cpSync(join(this.#template, name), join(this.home, name), { recursive: true });
    const scripts = Object.entries(SHELL).map(([name, code]) => [`twin-${name}.sh`, this.#fill(code)]);
    writeFiles(this.workspace, Object.fromEntries(scripts));
    writeFiles(this.workspace, { "twin-hooks/post-checkout": `#!/bin/sh\nsh ${this.workspace}/twin-${kind}.sh\n` });
    chmodSync(join(this.workspace, "twin-hooks/post-checkout"), 0o755);
    const files = Object.entries(twin.files ?? {}).map(([path, content]) => [path, this.#fill(content)]);
    writeFiles(this.workspace, Object.fromEntries(files));
    this.#before = everything(this.#outside);
    this.#connections = 0;
    return this.#fill(twin.command ?? ordinary);
  }

  /** Whether the twin that was prepared last did what it tries; asked when it has ended. */
  async happened(kind: Kind, twin: Twin, output: string): Promise<boolean> {
    switch (kind) {
      case "read":
        return output.includes(this.#fill(twin.shows ?? KEY_TEXT));
      case "write":
        return !existsSync(this.#outside) || !isDeepStrictEqual(everything(this.#outside), this.#before);
      case "reach":
        // A connection that was made is known once this process has looked for new ones.
        for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
        return this.#connections > 0;
      case "process":
        if (!output.includes(this.#fill(twin.shows ?? "killed"))) return false;
        if (twin.shows === undefined) await this.#napExit;
        return true;
    }
  }

  #fill(text: string): string {
    const [port, namedPort] = this.#servers.map(portOf);
    const places: Readonly<Record<string, string>> = {
      KEY: join(this.home, ".ssh/id_planted"),
      KEYS: join(this.home, ".ssh"),
      OUT: join(this.#outside, "new"),
      OUTSIDE: this.#outside,
      KEEP: join(this.#outside, "keep.txt"),
      IP: ADDRESSES[0],
      PORT: String(port),
      URL: `http://${ADDRESSES[0]}:${port}`,
      NAMED: `http://unlisted.localhost:${namedPort}`,
      PID: String(this.#nap.pid),
      NAP,
    };
    return text.replace(/@([A-Z]+)@/g, (whole, name: string) => places[name] ?? whole);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#nap.kill("SIGKILL");
    for (const server of this.#servers) {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    }
    await rm(this.home, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

async function listen(address: string): Promise<Server> {
  const server = createServer((_, response) => response.end("reached\n"));
  server.listen(0, address);
  await once(server, "listening");
  return server;
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}
