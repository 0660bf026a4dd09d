/** Folders of which a sandbox has its own: what commands write there stays inside. */
export const PRIVATE_FOLDERS: readonly string[] = ["/tmp", "/var/tmp", "/dev", "/run", "/proc"];
