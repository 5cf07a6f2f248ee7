/** Sends the requests that its parent process orders; the message `stop` ends it early. */
import { type LoadRequest, load } from './load.ts';

let stop = new AbortController();
process.on('message', (message: LoadRequest | 'stop') => {
  if (message === 'stop') {
    stop.abort();
    return;
  }
  stop = new AbortController();
  load(message, stop.signal).then(
    responses => process.send?.({ responses }),
    error => process.send?.({ failure: String(error) }),
  );
});
process.once('disconnect', () => process.exit());
