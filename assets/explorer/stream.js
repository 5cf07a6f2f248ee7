// What happens on the chain, told to this page. One tab of a browser holds the connection and tells the others: a browser opens only six to
// a server, and the server streams to twenty of one address.

const TOPICS = 'block,burn-block,mempool';
const EVENTS = ['hello', 'block', 'burn-block', 'mempool', 'mempool-drop', 'rollback', 'gap', 'tip'];

/** Calls `hear({ event, data })` for every event, in whichever tab the connection is, and `lost()` when it breaks. */
export function openStream(hear, lost) {
  const url = new URL(`../extended/v3/stream?topics=${TOPICS}`, document.baseURI);
  const channel = new BroadcastChannel(`stream ${url.pathname}`);
  const tell = message => {
    channel.postMessage(message);
    receive(message);
  };
  const receive = message => (message.event === 'lost' ? lost() : hear(message));
  channel.addEventListener('message', ({ data }) => receive(data));
  const hold = () => {
    const source = new EventSource(url);
    for (const event of EVENTS)
      source.addEventListener(event, ({ data }) => tell({ event, data: data === '' ? {} : JSON.parse(data) }));
    source.addEventListener('error', () => {
      tell({ event: 'lost' });
      // A connection that is refused is not tried again by the browser.
      if (source.readyState === EventSource.CLOSED) setTimeout(hold, 30_000);
    });
    return new Promise(() => {});
  };
  // Without locks (pages that are not secure have none) each tab has its own connection.
  if (navigator.locks) navigator.locks.request(`stream ${url.pathname}`, hold).catch(() => {});
  else hold();
}
