/** The peer broke the protocol, or died. The run ends with a receipt that says so. */
export class ProtocolError extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = "ProtocolError";
  }
}
