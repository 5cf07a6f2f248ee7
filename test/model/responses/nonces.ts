import { payerOf } from '../mempool.ts';
import { principalOf } from '../principals.ts';
import { failed, ok, type Route } from '../route.ts';
import type { Block, World } from '../world.ts';

/** Number of nonces above the last executed one to check (docs/spec/addresses.md#nonces). */
const LOOKED_AT = 200;

type Sent = Pick<World['txs'][number], 'decoded'>;

/** Those that a transaction uses of an account, as sender or as sponsor. */
export const usedBy = ({ decoded: { origin, sponsor } }: Sent, account: string): number[] =>
  [origin, ...(sponsor ? [sponsor] : [])]
    .filter(({ address }) => address === account)
    .map(({ nonce }) => Number(nonce));

/** As recorded, after a block: that of the sender, where the account pays the fee. */
const paidBy = ({ decoded }: Sent, account: string): number[] =>
  payerOf(decoded) === account ? [Number(decoded.origin.nonce)] : [];

const highest = (nonces: readonly number[]): number | null => (nonces.length === 0 ? null : Math.max(...nonces));

/** getAccountNoncesV1: after a block, or now with what is pending. */
const nonces: Route['respond'] = (world, params, query) => {
  const principal = principalOf(params.principal ?? '');
  if (principal === undefined) return failed(400);
  const [height, hash] = [query.get('block_height'), query.get('block_hash')];
  const until = height === null && hash === null ? Infinity : heightOf(world, height, hash);
  if (until === undefined) return failed(404);
  const executed = highest(
    until === Infinity
      ? world.txs.flatMap(tx => usedBy(tx, principal))
      : world.txs.filter(tx => tx.block.height <= until).flatMap(tx => paidBy(tx, principal)),
  );
  const waiting = until === Infinity ? world.pending.flatMap(tx => usedBy(tx, principal)) : [];
  const pending = highest(waiting);
  const between: number[] = [];
  if (executed !== null && pending !== null)
    for (let nonce = executed + 1; nonce < pending && nonce <= executed + LOOKED_AT; nonce++) between.unshift(nonce);
  return ok({
    last_mempool_tx_nonce: pending,
    last_executed_tx_nonce: executed,
    possible_next_nonce: Math.max(executed ?? -1, pending ?? -1) + 1,
    detected_missing_nonces: between.filter(nonce => !waiting.includes(nonce)),
    detected_mempool_nonces: between.filter(nonce => waiting.includes(nonce)),
  });
};

/** Of several blocks of a hash the canonical one, else the highest; that is the height on the canonical chain, too. */
function heightOf(world: World, height: string | null, hash: string | null): number | undefined {
  const isThere = (height: number) => height === 0 || height <= world.blocks.length;
  if (height !== null) return isThere(Number(height)) ? Number(height) : undefined;
  const sameHash = (block: Block) => block.hash === hash?.toLowerCase();
  const heights = world.known.filter(sameHash).map(block => block.height);
  const found = world.blocks.find(sameHash)?.height ?? highest(heights) ?? undefined;
  return found !== undefined && isThere(found) ? found : undefined;
}

export const nonceRoutes: readonly Route[] = [{ template: '/extended/v1/address/{principal}/nonces', respond: nonces }];
