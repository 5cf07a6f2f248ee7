import { everSeen } from '../everything.ts';
import { feeOf, payerOf } from '../mempool.ts';
import { principalOf } from '../principals.ts';
import { listedTransaction } from '../records/listed.ts';
import { clarity } from '../records/transaction.ts';
import { failed, numberOf, ok, page, type Route } from '../route.ts';
import type { Payload, Tx } from '../world.ts';

/** A transfer, mint or burn of STX, a fungible or a non-fungible token in a transaction. */
export interface Move {
  readonly asset: 'stx' | 'ft' | 'nft';
  readonly type: 'transfer' | 'mint' | 'burn';
  readonly event_index: number;
  /** The node's fields: `sender`, `recipient`, `amount` and others. */
  readonly data: Payload;
}

const MOVES = ['stx', 'ft', 'nft'].flatMap(asset =>
  ['transfer', 'mint', 'burn'].map(type => [`${asset}_${type}_event`, { asset, type }] as const),
);
const KINDS = new Map(MOVES as [string, Pick<Move, 'asset' | 'type'>][]);

/** In which an address has a part. */
export const movesOf = (tx: Tx, address: string): Move[] =>
  tx.events
    .flatMap((event: Payload, event_index): Move[] => {
      const kind = KINDS.get(event.type);
      return kind ? [{ ...kind, event_index, data: event[event.type] }] : [];
    })
    .filter(({ data }) => data.sender === address || data.recipient === address);

/** getAddressTransactionsV2. A limit of 0 is one. */
const transactions: Route['respond'] = (world, { address: given = '' }, query) => {
  const address = principalOf(given);
  if (address === undefined) return failed(400);
  const found = world.txs.filter(tx => takesPart(tx, address)).reverse();
  const served = (tx: Tx) => ({ tx: listedTransaction(world, tx, query), ...partOf(tx, address) });
  const limit = numberOf(query, 'limit', 20);
  const offset = numberOf(query, 'offset', 0);
  const cursors = found.map(({ block, microblock, index }) => {
    return `${block.indexHash}:${microblock?.sequence ?? 2147483647}:${index}`;
  });
  const wanted = query.get('cursor');
  const first = (wanted === null ? 0 : cursors.indexOf(wanted)) + offset;
  if (wanted !== null && !cursors.includes(wanted)) return failed(404);
  const at = (position: number): string | null => cursors[position] ?? null;
  const beyond = first >= found.length;
  return ok({
    limit,
    offset,
    total: found.length,
    next_cursor: beyond || first === 0 ? null : at(Math.max(first - limit, 0)),
    prev_cursor: beyond ? null : at(first + limit),
    cursor: beyond ? null : at(first),
    results: found.slice(first, first + limit).map(served),
  });
};

export function takesPart(tx: Tx, address: string): boolean {
  const { origin, sponsor, payload } = tx.decoded;
  const roles: (string | undefined)[] = [origin.address, sponsor?.address];
  if (payload.kind === 'token_transfer') roles.push(payload.recipient);
  if (payload.kind === 'contract_call') roles.push(payload.contractId);
  if (payload.kind === 'smart_contract') roles.push(`${origin.address}.${payload.name}`);
  return roles.includes(address) || movesOf(tx, address).length > 0;
}

/** What an address sent, with the fee where it pays that, what it received, and how often it took part in what. */
function partOf(tx: Tx, address: string) {
  const moves = movesOf(tx, address);
  const stx = (role: string): bigint =>
    moves
      .filter(({ asset, data }) => asset === 'stx' && data[role] === address)
      .reduce((sum, { data }) => sum + BigInt(data.amount), 0n);
  const fee = payerOf(tx.decoded) === address ? feeOf(tx.decoded) : 0n;
  const count = (asset: string, type: string): number =>
    moves.filter(move => move.asset === asset && move.type === type).length;
  const counts = (asset: string) => ({
    transfer: count(asset, 'transfer'),
    mint: count(asset, 'mint'),
    burn: count(asset, 'burn'),
  });
  return {
    stx_sent: String(stx('sender') + fee),
    stx_received: String(stx('recipient')),
    events: { stx: counts('stx'), ft: counts('ft'), nft: counts('nft') },
  };
}

/** getAddressTransactionEventsV2: of a transaction that only a fork has, nothing; 404 for one that no block has. */
const events: Route['respond'] = (world, { address: given = '', id = '' }, query) => {
  const address = principalOf(given);
  if (address === undefined) return failed(400);
  const txId = `0x${id.replace(/^0x/, '').toLowerCase()}`;
  if (!everSeen(world).some(tx => tx.txId === txId)) return failed(404);
  const moves = world.txs.filter(tx => tx.txId === txId).flatMap(tx => movesOf(tx, address));
  return ok(page(moves, numberOf(query, 'limit', 20) || 20, numberOf(query, 'offset', 0), moveRecord));
};

const moveRecord = ({ asset, type, event_index, data }: Move) => ({
  type: asset,
  event_index,
  data: {
    type,
    ...(asset !== 'stx' && { asset_identifier: data.asset_identifier }),
    ...(asset === 'nft' ? { value: clarity(data.raw_value) } : { amount: String(data.amount) }),
    ...(type !== 'mint' && { sender: data.sender }),
    ...(type !== 'burn' && { recipient: data.recipient }),
  },
});

export const addressTransactionRoutes: readonly Route[] = [
  { template: '/extended/v2/addresses/{address}/transactions', respond: transactions },
  { template: '/extended/v2/addresses/{address}/transactions/{id}/events', respond: events },
];
