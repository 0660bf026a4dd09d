import { newWorkOrder, runOrder } from "signalbox/backplane";

const agent = process.argv[2] ?? "mock";
const order = newWorkOrder("write a file", {
  config: { vendor: { mock: { script: [{ write: "made.txt", content: "made\n" }, { say: "done" }] } } },
});
for await (const step of runOrder(order, { agent, accept: ["test -e made.txt"] })) {
  if (step.type === "event") console.log(step.event.type);
  if (step.type === "run-end") console.log(step.receipt.outcome, step.facts.verified, step.exitCode);
}
