import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { messageOf } from "../src/lib/text/user-error.ts";
import { accept } from "./accept.ts";
import { backplane } from "./backplane.ts";
import { board } from "./board.ts";
import { containment } from "./containment.ts";
import { engine } from "./engine.ts";
import { fleet } from "./fleet.ts";
import { guard } from "./guard.ts";
import { hooks } from "./hooks.ts";
import { json } from "./json.ts";
import { launch } from "./launch.ts";
import { receipts } from "./receipts.ts";
import { recipes } from "./recipes.ts";
import { sessions } from "./sessions.ts";
import { snapshots } from "./snapshots.ts";
import { terminal } from "./terminal.ts";
import { type Results, regressions, storeBaseline, writeResults } from "./results.ts";
import type { Suite } from "./suite.ts";

const SUITES: Record<string, Suite> = {
  accept,
  backplane,
  board,
  containment,
  engine,
  fleet,
  guard,
  hooks,
  json,
  launch,
  receipts,
  recipes,
  sessions,
  snapshots,
  terminal,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
    baseline: { type: "boolean", default: false },
  },
});
const { quick } = values;
const [name] = positionals;
const suite = SUITES[name ?? ""];

if (name === undefined) await runAll();
else if (suite === undefined || positionals.length !== 1) {
  console.error(
    `usage: npm run bench -- [SUITE] [--quick] [--json]; without SUITE also --check (compare ratios with baseline.json) or --baseline (store them)\nsuites: ${Object.keys(SUITES).join(", ")}`,
  );
  process.exitCode = 2;
} else {
  const { rows, result } = await suite({ quick });
  if (values.json) console.log(JSON.stringify(result));
  else {
    console.table(rows);
    console.log(JSON.stringify(result["added"] ?? result));
  }
}

/** One suite after the other. One that fails, for example because no agent is installed, does not keep the others from running. */
async function runAll(): Promise<void> {
  const [load = 0] = loadavg();
  const results: Record<string, Results[string]> = {};
  for (const [each, run] of Object.entries(SUITES)) {
    console.error(`${each} …`);
    results[each] = await run({ quick }).catch((error: unknown) => ({ failed: messageOf(error) }));
  }
  const command = `npm run bench${quick ? " -- --quick" : ""}`;
  console.log(writeResults(results, { load, command }));
  if (values.baseline) storeBaseline(results);
  const worse = values.check ? regressions(results) : [];
  for (const line of worse) console.error(`compared with the baseline: ${line}`);
  if (worse.length > 0) process.exitCode = 1;
}
