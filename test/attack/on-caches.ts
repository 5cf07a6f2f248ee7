import type { Delivery } from '../../src/ingest/journal/entries.ts';
import { seededRandom } from '../crash/random.ts';
import { type BuiltBlock, type BuiltBurnBlock, ChainBuilder } from '../support/chain-builder.ts';
import { openFreshOf } from '../support/engines.ts';
import { announced, transferOf } from '../support/pending-transactions.ts';
import { openTestIndex } from '../support/test-index.ts';
import { accountAddress } from '../support/transaction-builder.ts';
import type { Finding, Size } from './finding.ts';

/** Requests for a block of the chain or of one of its branches. */
const pathsOfBlock = ({ hash, height, burn, txs }: BuiltBlock): string[] => [
  `/extended/v1/block/${hash}`,
  `/extended/v1/block/by_height/${height}`,
  `/extended/v1/block/by_burn_block_hash/${burn.hash}`,
  `/extended/v1/block/by_burn_block_height/${burn.height}`,
  `/extended/v2/blocks/${hash}`,
  `/extended/v2/blocks/${height}`,
  `/extended/v2/blocks/${height}/transactions`,
  `/extended/v2/burn-blocks/${burn.height}`,
  `/extended/v2/burn-blocks/${burn.hash}/blocks`,
  `/extended/v3/blocks/${height}/cells`,
  ...txs
    .slice(0, 2)
    .flatMap(({ txId }) => [
      `/extended/v1/tx/${txId}`,
      `/extended/v1/tx/${txId}/raw`,
      `/extended/v1/tx/multiple?tx_id=${txId}`,
      `/extended/v3/transactions/${txId}`,
      `/extended/v3/transactions/${txId}/events`,
    ]),
];

const LISTS = [
  '/extended',
  '/extended/v1/block',
  '/extended/v1/tx',
  '/extended/v1/tx/mempool',
  '/extended/v1/tx/mempool/stats',
  '/extended/v2/blocks',
  '/extended/v2/blocks/latest',
  '/extended/v2/blocks/latest/transactions',
  '/extended/v2/burn-blocks',
  '/extended/v2/burn-blocks/latest',
  '/extended/v2/mempool/fees',
  '/extended/v3/forks',
  '/extended/v3/transactions',
  ...[1, 2].flatMap(account => [
    `/extended/v1/address/${accountAddress(account)}/balances`,
    `/extended/v1/address/${accountAddress(account)}/nonces`,
    `/extended/v1/address/${accountAddress(account)}/mempool`,
    `/extended/v2/addresses/${accountAddress(account)}/transactions`,
    `/extended/v3/principals/${accountAddress(account)}/transactions`,
  ]),
];

/** Blocks in random order, on random blocks and burn blocks: forks, late orphans, burn blocks, and pending transactions. */
function* hostileOrder(seed: number, steps: number): Generator<{ delivery: Delivery; block?: BuiltBlock }> {
  const random = seededRandom(seed);
  const chain = new ChainBuilder('caches');
  const blocks = chain.chain(3);
  const burns: BuiltBurnBlock[] = blocks.map(({ burn }) => burn);
  const held: BuiltBlock[] = [];
  let tip = blocks.at(-1);
  let late: BuiltBlock | undefined;
  for (const block of blocks) yield { delivery: block.delivery, block };
  const pick = <T>(values: readonly T[]): T | undefined => values[random.int(0, values.length - 1)];
  for (let i = 0; i < steps; i++) {
    const what = random.next();
    if (what < 0.15) yield { delivery: announced(transferOf({ nonce: i, from: 1 + (i % 2) })) };
    else if (what < 0.3) {
      const [parent, slot] = [pick(burns.slice(-4)), accountAddress(3)];
      const burn = chain.burnBlock({ ...(parent && { parent }), slots: [slot] });
      burns.push(burn);
      yield { delivery: burn.delivery };
    } else if (what < 0.45 && held.length > 0) {
      const [block] = held.splice(random.int(0, held.length - 1), 1);
      if (block) yield { delivery: block.delivery, block };
    } else {
      // Half of the blocks arrive late: on a block below the tip, then on the previous late block.
      const isLate = random.next() < 0.5;
      const parent = !isLate ? tip : late !== undefined && random.next() < 0.5 ? late : pick(blocks.slice(-6, -1));
      const isOfTenure = isLate ? parent === late : random.next() < 0.5;
      const burn = isOfTenure ? parent?.burn : random.next() < 0.3 ? pick(burns.slice(-4)) : undefined;
      const block = chain.block({ ...(parent && { parent }), ...(burn && { burn }) });
      if (isLate) late = block;
      else tip = block;
      blocks.push(block);
      if (random.next() < 0.2) held.push(block);
      else yield { delivery: block.delivery, block };
    }
  }
  for (const block of held) yield { delivery: block.delivery, block };
}

/** Requests the newest blocks repeatedly with the ETags of earlier responses: a 304 must be correct. */
export async function staleResponses({ name }: Size, seed: number): Promise<Finding[]> {
  const fresh = await openFreshOf.sqlite();
  const stale = new Set<string>();
  let [compared, failures] = [0, 0];
  try {
    const index = await openTestIndex(fresh.database);
    const known = new Map<string, { readonly etag: string; readonly text: string }>();
    const recent: BuiltBlock[] = [];
    for (const { delivery, block } of hostileOrder(seed, name === 'full' ? 400 : 12)) {
      await index.deliver(delivery);
      if (block) recent.push(block);
      for (const path of [...LISTS, ...recent.slice(-8).flatMap(pathsOfBlock)]) {
        const { status, headers, body } = await index.get(path);
        if (status >= 500) failures++;
        const text = JSON.stringify(body);
        const before = known.get(path);
        if (before !== undefined) {
          compared++;
          const again = await index.get(path, { 'if-none-match': before.etag });
          if (again.status === 304 && before.text !== text) stale.add(path.replaceAll(/0x[0-9a-f]+|\d{2,}/g, '*'));
        }
        if (status === 200 && typeof headers.etag === 'string') known.set(path, { etag: headers.etag, text });
        else known.delete(path);
      }
    }
  } finally {
    await fresh.cleanup();
  }
  return [
    { what: `paths with a 304 that is not true (${[...stale].join(', ')})`, worst: stale.size, bound: 0, unit: '' },
    { what: `failures, of ${compared} requests`, worst: failures, bound: 0, unit: '' },
    { what: 'whether nothing was compared', worst: compared > 0 ? 0 : 1, bound: 0, unit: '' },
  ];
}
