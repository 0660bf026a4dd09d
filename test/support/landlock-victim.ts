import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { isRecord } from "../../src/lib/json/json-value.ts";
import { parseJson } from "../../src/lib/json/parse-json.ts";
import { until } from "./landlock-scene.ts";

export const FIXTURES = fileURLToPath(new URL("../fixtures/landlock", import.meta.url));
export const PYTHON = "/usr/bin/python3";

export interface Victim {
  /** What it said of itself. */
  readonly facts: Record<string, unknown>;
  /** The servers of it that somebody has reached. */
  readonly reached: readonly unknown[];
  end(): Promise<void>;
}

/** A process of the same user outside, with servers, a socket in the folder and a terminal. */
export async function startVictim(folder: string, uid: number | undefined): Promise<Victim> {
  const user = uid === undefined ? {} : { uid, gid: uid };
  const child = spawn(PYTHON, [`${FIXTURES}/victim.py`, folder], { ...user, stdio: ["pipe", "pipe", "inherit"] });
  const told: Record<string, unknown>[] = [];
  let rest = "";
  child.stdout.on("data", (chunk: Buffer) => {
    const lines = `${rest}${String(chunk)}`.split("\n");
    rest = lines.pop() ?? "";
    told.push(...lines.map((line) => parseJson(line)).filter(isRecord));
  });
  await until(() => told.length > 0, "no victim");
  const [facts = {}] = told;
  return {
    facts,
    get reached() {
      return told.slice(1).map(({ connected }) => connected);
    },
    async end() {
      child.stdin.end();
      await once(child, "exit");
    },
  };
}
