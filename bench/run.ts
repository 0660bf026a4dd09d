import { parseArgs } from "node:util";
import { accept } from "./accept.ts";
import { backplane } from "./backplane.ts";
import { board } from "./board.ts";
import { containment } from "./containment.ts";
import { engine } from "./engine.ts";
import { guard } from "./guard.ts";
import { hooks } from "./hooks.ts";
import { json } from "./json.ts";
import { launch } from "./launch.ts";
import { receipts } from "./receipts.ts";
import { recipes } from "./recipes.ts";
import { sessions } from "./sessions.ts";
import { snapshots } from "./snapshots.ts";
import { terminal } from "./terminal.ts";
import type { Suite } from "./suite.ts";

const SUITES: Record<string, Suite> = {
  accept,
  backplane,
  board,
  containment,
  engine,
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
  options: { quick: { type: "boolean", default: false }, json: { type: "boolean", default: false } },
});
const suite = SUITES[positionals[0] ?? ""];

if (suite === undefined || positionals.length !== 1) {
  console.error(`usage: npm run bench -- SUITE [--quick] [--json]\nsuites: ${Object.keys(SUITES).join(", ")}`);
  process.exitCode = 2;
} else {
  const { rows, result } = await suite({ quick: values.quick });
  if (values.json) console.log(JSON.stringify(result));
  else {
    console.table(rows);
    console.log(JSON.stringify(result["added"] ?? result));
  }
}
