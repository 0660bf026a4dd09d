import { readFileSync } from "node:fs";
import { join } from "node:path";
import { listSegments, verifyAudit } from "../guard/audit/verify-audit.ts";
import { signalboxHome } from "../lib/home-folder.ts";
import { isRecord } from "../lib/is-record.ts";
import { parseJson } from "../lib/parse-json.ts";
import { printable } from "../lib/printable.ts";
import { EXIT, UserError } from "../lib/user-error.ts";
import type { CommandModule } from "./verbs.ts";

export const command: CommandModule = {
  firstWords: () => ["verify", "show"],

  configure(audit) {
    audit
      .argument("[what]", "verify or show")
      .option("--json", "print records as they are")
      .option("--limit <n>", "how many of the newest records `show` prints", "50")
      .addHelpText("after", "\nExamples:\n  signalbox audit verify\n  signalbox audit show --limit 10");
  },
  async run({ words, flags }) {
    const folder = signalboxHome();
    if (words[0] === "verify") return verify(folder);
    if (words[0] === "show") return show(folder, { json: flags["json"] === true, limit: Number(flags["limit"]) });
    throw new UserError("audit needs to know what to do", { fix: "say verify or show" });
  },
};

function verify(folder: string): number {
  const { segments, records, anchors, bad, unanchored } = verifyAudit(folder);
  if (bad !== undefined) {
    process.stdout.write(`BAD  ${bad.file}, record ${bad.line}: ${bad.because}\n`);
    return EXIT.failed;
  }
  process.stdout.write(`good: ${records} records in ${segments} segments, ${anchors} anchors\n`);
  if (unanchored > 0)
    process.stdout.write(
      `${unanchored} records have no anchor yet: if someone cut them off, this check could not tell\n`,
    );
  process.stdout.write(
    "someone who can write as this user can replace records, anchors and key together; only an anchor kept elsewhere shows that\n",
  );
  return EXIT.ok;
}

function show(folder: string, { json, limit }: { readonly json: boolean; readonly limit: number }): number {
  const lines = listSegments(folder).flatMap((segment) =>
    readFileSync(join(folder, "audit", segment), "utf8")
      .split("\n")
      .filter((line) => line !== ""),
  );
  const wanted = Number.isInteger(limit) && limit > 0 ? limit : 50;
  for (const line of lines.slice(-wanted)) process.stdout.write(`${json ? line : describe(line)}\n`);
  return EXIT.ok;
}

function describe(line: string): string {
  try {
    const record: unknown = parseJson(line);
    if (!isRecord(record)) return "(not a record)";
    const { time, verdict, tool, call, code } = record;
    return printable(
      `${String(time)}  ${String(verdict).padEnd(5)}  ${String(tool)}  ${String(call).slice(0, 140)}  ${String(code)}`,
    );
  } catch {
    return "(not a record)";
  }
}
