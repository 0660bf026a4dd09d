/** The longest socket path that macOS accepts; Linux accepts four bytes more. */
const MAX_SOCKET_PATH = 103;

/** Whether a unix socket can have this path. */
export const fitsSocket = (path: string): boolean => Buffer.byteLength(path) <= MAX_SOCKET_PATH;
