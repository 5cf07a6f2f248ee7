import type { PoxEvent } from '../../../src/base/codec/index.ts';
import { poxEvents } from '../accounts.ts';
import { everSeen } from '../everything.ts';
import { failed, numberOf, ok, type Route } from '../route.ts';
import type { World } from '../world.ts';

/** getPoxEventsV1, getPoxEventsByTransactionV1, getPoxEventsByStackerV1 (docs/spec/pox.md#events), newest first. */
function eventsOf(world: World, version: string) {
  const number = Number(version.replace('pox', '')) as 2 | 3 | 4;
  return world.txs
    .flatMap(tx =>
      tx.events.flatMap((event, index) => {
        const [decoded] = poxEvents({ ...tx, events: [event] }, number, world.network);
        return decoded ? [record(tx, index, decoded)] : [];
      }),
    )
    .reverse();
}

function record(tx: World['txs'][number], event_index: number, event: PoxEvent) {
  return {
    block_height: tx.block.height,
    tx_id: tx.txId,
    tx_index: tx.index,
    event_index,
    stacker: event.stacker,
    locked: String(event.locked),
    balance: String(event.balance),
    burnchain_unlock_height: String(event.burnchainUnlockHeight),
    pox_addr: event.poxAddr,
    pox_addr_raw: event.poxAddrRaw === '' ? '0x' : event.poxAddrRaw,
    name: event.name,
    data: Object.fromEntries(
      Object.entries(event.data)
        .filter(([key, value]) => !(key === 'unlockBurnHeight' && value === null))
        .map(([key, value]) => [snake(key), typeof value === 'bigint' ? String(value) : value]),
    ),
  };
}

const snake = (key: string): string => key.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);

const isKnown = (version: string): boolean => ['pox2', 'pox3', 'pox4'].includes(version);

const events: Route['respond'] = (world, { pox = '' }, query) => {
  if (!isKnown(pox)) return failed(400);
  const [limit, offset] = [numberOf(query, 'limit', 96) || 96, numberOf(query, 'offset', 0)];
  return ok({ limit, offset, results: eventsOf(world, pox).slice(offset, offset + limit) });
};

const ofTransaction: Route['respond'] = (world, { pox = '', id = '' }) => {
  if (!isKnown(pox)) return failed(400);
  if (!everSeen(world).some(({ txId }) => txId === id)) return failed(404);
  return ok({ results: eventsOf(world, pox).filter(event => event.tx_id === id) });
};

const ofStacker: Route['respond'] = (world, { pox = '', stacker = '' }, query) => {
  if (!isKnown(pox)) return failed(400);
  const [limit, offset] = [numberOf(query, 'limit', 1000), numberOf(query, 'offset', 0)];
  const all = eventsOf(world, pox).filter(event => event.stacker === stacker);
  return ok({ results: all.slice(offset, offset + limit) });
};

export const poxEventRoutes: readonly Route[] = [
  { template: '/extended/v1/{pox}/events', respond: events },
  { template: '/extended/v1/{pox}/tx/{id}', respond: ofTransaction },
  { template: '/extended/v1/{pox}/stacker/{stacker}', respond: ofStacker },
];
