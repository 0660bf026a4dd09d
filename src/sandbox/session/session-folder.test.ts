import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { openSessionFolder } from "./session-folder.ts";

test.skipIf(process.platform !== "linux")(
  "what a killed session left is removed at the next start, and what it took from the workspace is kept",
  async () => {
    const home = tempFolder();
    const make = (name: string, owner?: string) => {
      mkdirSync(join(home, "s", name, "kept"), { recursive: true });
      if (owner !== undefined) writeFileSync(join(home, "s", name, "owner"), owner);
    };
    make("killed", "4194304 1");
    writeFileSync(join(home, "s/killed/kept/1-.mcp.json"), "taken");
    make("starting");
    make("never-started");
    const since = (name: string, seconds: number) => {
      const then = new Date(Date.now() - seconds * 1000);
      utimesSync(join(home, "s", name), then, then);
    };
    since("killed", 20);
    since("starting", 20);
    since("never-started", 120);
    using own = openSessionFolder(home, undefined);
    await expect
      .poll(() => readdirSync(join(home, "s")).toSorted())
      .toEqual(["starting", own.path.slice(-6)].toSorted());
    expect(readFileSync(join(home, "kept/killed/1-.mcp.json"), "utf8")).toBe("taken");
    expect(existsSync(join(home, "kept/never-started"))).toBe(false);
  },
);
