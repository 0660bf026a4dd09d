/** What the build puts in place of Node's Headers: see the class. */
export { SmallHeaders as Headers } from "../src/models/small-headers.ts";
