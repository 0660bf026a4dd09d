/** Lies in the repository and travels with it: whoever clones a staged repository can check it and take it back. */
export const MANIFEST_PATH = ".signalbox/staged.json";
