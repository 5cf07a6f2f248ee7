// Both open with their first use, as pipes; they are no file's.
void [process.stdout, process.stderr];

/** Of the event loop, between an import and a look: a server opens some turns after the call to listen; the read of a file, which ends by itself, is over. */
export const TURNS = 20;

/** What keeps this process alive: names as Node.js gives them (TCPServerWrap, Timeout, ProcessWrap ...). */
export const resources = (): string[] => process.getActiveResourcesInfo();

/** Resources that are open now, beyond those of an earlier look. */
export function opened(earlier: readonly string[]): string[] {
  const rest = [...earlier];
  return resources().filter(name => {
    const at = rest.indexOf(name);
    if (at < 0) return true;
    rest.splice(at, 1);
    return false;
  });
}
