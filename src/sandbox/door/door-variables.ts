/**
 * The variables that lead a command's programs to the door. The user name is the command's id. The password means
 * nothing, but git asks for one on the terminal if there is none. All variables name an HTTP proxy, because httpx does
 * not start without an extra module if one of them names SOCKS.
 */
export function doorVariables(port: number, id: string): Readonly<Record<string, string>> {
  const proxy = `http://${encodeURIComponent(id)}:x@127.0.0.1:${port}`;
  return {
    http_proxy: proxy,
    https_proxy: proxy,
    all_proxy: proxy,
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    ALL_PROXY: proxy,
    no_proxy: LOOPBACK,
    NO_PROXY: LOOPBACK,
    NODE_USE_ENV_PROXY: "1",
  };
}

/** Loopback is the sandbox's own. Private ranges are left out, because nothing there can be reached directly. */
const LOOPBACK = "localhost,127.0.0.1,::1";
