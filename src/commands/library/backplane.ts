import "./supported-node.ts";
export type { FollowUp, Host, HostJob, HostPlace, OpenHost } from "../../receipts/host.ts";
export { decideOrAsk, ProtocolError } from "../../receipts/host.ts";
export { readWorkOrder as parseWorkOrder } from "../../receipts/run/read-order.ts";
export { recoverRuns } from "../../receipts/run/recover-runs.ts";
export type {
  ApprovalRequest,
  OnApproval,
  RunEnd,
  RunLimits,
  RunSetup as RunParts,
  RunStep,
} from "../../receipts/run/run-setup.ts";
export { runWorkOrder } from "../../receipts/run/run-work-order.ts";
export { AgentEvent, deniedEvents, newEvent } from "../../contract/agent-event.ts";
export type { Capabilities } from "../../contract/capability.ts";
export { type HostEnd, NO_USAGE } from "../../contract/receipt.ts";
export { Receipt, type Usage } from "../../contract/receipt.ts";
export { WorkOrder } from "../../contract/work-order.ts";
export { sidecarHost } from "../../hosts/sidecar/sidecar.ts";
export { UserError } from "../../lib/text/user-error.ts";
export {
  listReceipts,
  readReceipt,
  type SealedReceipt,
  type Verification,
  verifyReceiptFile,
  verifyReceipts,
} from "./receipts.ts";
export { machineParts, newWorkOrder, type OrderResult, type OrderRun, runOrder, type RunOptions } from "./run-order.ts";
