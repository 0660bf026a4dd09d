import { deliver, openSpillover, requestedMode, resolveAgent, selectMode } from "signalbox/agents";
import {
  listReceipts,
  parseWorkOrder,
  newWorkOrder,
  readReceipt,
  UserError,
  verifyReceipts,
} from "signalbox/backplane";

const [first] = listReceipts();
const { receipt, guarded } = readReceipt("last");
console.log(listReceipts().length, first?.run_id === receipt.meta.run_id, receipt.outcome, guarded);
console.log(verifyReceipts().good, verifyReceipts({ run: receipt.meta.run_id }).good);

console.log(parseWorkOrder(newWorkOrder("a task")).task);
try {
  parseWorkOrder({ task: "not enough" });
} catch (error) {
  console.log(error instanceof UserError && error.where);
}

console.log(resolveAgent(".", { SIGNALBOX_AGENT: "codex" }).agent, requestedMode({}).mode);
console.log(selectMode("claude", "auto", "x".repeat(5000)).selected, selectMode("amplifier", "stdin", "x").error);
{
  using delivered = deliver({ agent: "claude", prompt: "x".repeat(5000), flags: ["-p"], env: {} });
  console.log(delivered.command[0], delivered.selected, delivered.stdin?.length);
}
{
  using spillover = openSpillover();
  const travelled = spillover.spill("y".repeat(40_000));
  console.log(travelled.startsWith("file://"), spillover.read(travelled).length, spillover.spill("small"));
}
