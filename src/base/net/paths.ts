/**
 * Paths that strangers chose, for hosts that are trusted with more than strangers may reach: gateways, and hosts that
 * the operator has allowed. The URL parser resolves `..` and `%2e%2e`; other spellings that servers may resolve
 * likewise (`%2f`, `%5c`, `..;/`, and all of these encoded twice) are brought into that form first.
 */

/** Most times a path is decoded: servers behind proxies may do so more than once. */
const DECODINGS = 4;

/** The path with every encoded slash and dot decoded; undefined when it is encoded too many times. */
export function withoutDisguise(path: string): string | undefined {
  let text = path;
  for (let time = 0; time < DECODINGS; time++) {
    const plainer = text
      .replace(/%25(?=2e|2f|5c|25|3b)/gi, '%')
      .replace(/%2f|%5c|\\/gi, '/')
      .replace(/%2e/gi, '.')
      .replace(/(^|\/)(\.{1,2})(;|%3b)[^/]*/gi, '$1$2');
    if (plainer === text) return text;
    text = plainer;
  }
  return undefined;
}

/**
 * Whether a URL is `root` or below it, however a server reads it. A path with a disguised `..` is not, wherever it ends.
 * @param root an absolute URL as the parser writes it
 */
export function isWithin(url: URL, root: string): boolean {
  const path = withoutDisguise(url.pathname);
  if (path === undefined || /\/\.{1,2}(\/|$)/.test(path)) return false;
  const href = `${url.origin}${path}`;
  return href === root || href.startsWith(root.endsWith('/') ? root : `${root}/`);
}
