/** The build substitutes this for Node's Headers; see the class. */
export { SmallHeaders as Headers } from "../src/models/send-http.ts";
