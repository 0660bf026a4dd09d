import "./supported-node.ts";
export type { FollowUp, Host, HostJob, HostPlace, OpenHost } from "../backplane/host.ts";
export { decideOrAsk, ProtocolError } from "../backplane/host.ts";
export { readWorkOrder as parseWorkOrder } from "../backplane/run/read-order.ts";
export { recoverRuns } from "../backplane/run/recover-runs.ts";
export type { ApprovalRequest, OnApproval, RunEnd, RunLimits, RunParts, RunStep } from "../backplane/run/run-parts.ts";
export { runWorkOrder } from "../backplane/run/run-work-order.ts";
export { AgentEvent, deniedEvents, newEvent } from "../contract/agent-event.ts";
export type { Capabilities } from "../contract/capability.ts";
export { type HostEnd, NO_USAGE } from "../contract/host-end.ts";
export { Receipt, type Usage } from "../contract/receipt.ts";
export { WorkOrder } from "../contract/work-order.ts";
export { sidecarHost } from "../hosts/sidecar/sidecar.ts";
export { UserError } from "../lib/user-error.ts";
export {
  listReceipts,
  readReceipt,
  type SealedReceipt,
  type Verification,
  verifyReceiptFile,
  verifyReceipts,
} from "./receipts.ts";
export { machineParts, newWorkOrder, type OrderResult, type OrderRun, runOrder, type RunOptions } from "./run-order.ts";
