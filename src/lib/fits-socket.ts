/** The longest name that macOS takes for a socket; Linux takes four bytes more. */
const MAX_SOCKET_PATH = 103;

/** Whether a unix socket can have this name. */
export const fitsSocket = (path: string): boolean => Buffer.byteLength(path) <= MAX_SOCKET_PATH;
