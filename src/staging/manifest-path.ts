/** Committed with the repository, so that anyone who clones it can check and unstage what is staged. */
export const MANIFEST_PATH = ".signalbox/staged.json";
