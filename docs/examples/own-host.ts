import { decideOrAsk, newEvent, newWorkOrder, NO_USAGE, type OpenHost, runOrder } from "signalbox/backplane";

/** A host of your own: it asks before each call, yields events, and says how it ended. */
const echo: OpenHost = async () => ({
  backend: { id: "echo", backend_version: "1", adapter_version: null },
  capabilities: { streaming: "native" },
  agent: { name: "echo", version: "1", binary_sha256: null },
  holds: true,
  async *run(job) {
    const call = { tool: "deploy", input: { to: "staging" }, id: "1" };
    const { verdict } = await decideOrAsk(job, call);
    if (verdict === "allow") {
      yield newEvent({ type: "tool_call", tool_name: call.tool, tool_use_id: call.id, input: call.input });
      yield {
        type: "tool_result",
        ts: new Date().toISOString(),
        tool_name: call.tool,
        tool_use_id: call.id,
        output: "ok",
        is_error: false,
      };
    }
    yield newEvent({ type: "assistant_message", text: `${job.order.task}: ${verdict}` });
    return { outcome: "complete", mode: "mapped", usage: NO_USAGE, usageRaw: null };
  },
  async [Symbol.asyncDispose]() {},
});

const order = newWorkOrder("deploy it", { policy: { require_approval_for: ["deploy"] } });
for (const approved of [true, false]) {
  const run = runOrder(order, { agent: echo, onApproval: ({ tool }) => tool === "deploy" && approved });
  const { text, receipt, facts } = await run.result();
  console.log(text, receipt.trace.length, JSON.stringify(facts.guard.decisions));
}
