import { BUSY } from '../cost/growing-chain.ts';
import { untilIndexed } from '../crash/program.ts';
import { addressOf, statusOf } from './connections.ts';
import type { Finding, Size } from './finding.ts';
import { measured } from './measured.ts';
import { post, showsNewest } from './on-events.ts';
import type { Target } from './target.ts';

/** Events of one transaction, as the genesis block of mainnet has them. */
const EVENTS = 300_000;

/** Posts a block with a transaction of very many events, and requests every page that shows them. */
export async function manyEvents(target: Target, { floodMs }: Size): Promise<Finding[]> {
  let failures = await post(target, target.honestBlock(1, EVENTS));
  await untilIndexed(target.server());
  const hash = target.newest();
  const { body } = await target.server().get(`/extended/v2/blocks/${hash}/transactions?limit=1`);
  const [tx] = (body?.results ?? []) as { readonly tx_id: string }[];
  const id = tx?.tx_id ?? 'missing';
  const paths = [
    `/extended/v1/tx/${id}?event_limit=96`,
    `/extended/v1/tx/${id}?event_offset=${EVENTS - 50}`,
    `/extended/v1/tx/events?tx_id=${id}&limit=50`,
    `/extended/v1/tx/events?tx_id=${id}&limit=50&offset=${EVENTS - 50}`,
    // Each try adds such a transaction, and two of them are more than a response may have.
    `/extended/v1/address/${BUSY}/transactions_with_transfers?limit=1`,
    `/extended/v1/address/${BUSY}/${id}/with_transfers`,
    `/extended/v2/addresses/${BUSY}/transactions/${id}/events?limit=50`,
    `/extended/v3/transactions/${id}/events?limit=50`,
    `/extended/v3/principals/${BUSY}/transactions/${id}/balance-changes`,
    `/extended/v3/principals/${BUSY}/transactions?limit=20`,
    `/explorer/tx/${id}`,
  ];
  const end = performance.now() + floodMs;
  const client = async (number: number) => {
    for (let i = number; i < paths.length || performance.now() < end; i++) {
      const path = paths[i % paths.length] ?? '/';
      const status = await statusOf(
        target.server().port,
        `${path}${path.includes('?') ? '&' : '?'}n=${number}.${i}`,
        false,
        { from: addressOf(number) },
      );
      // A 503 is allowed, with the time to wait: pages of 40 MB take turns.
      if (status !== 200 && status !== 503) failures++;
    }
  };
  await Promise.all(Array.from({ length: 4 }, (_, i) => client(i)));
  return [{ what: 'requests without a proper response', worst: failures, bound: 0, unit: '' }];
}

/** Posts the same transaction twice in one block, and in two blocks of one fork; then runs `verify`. */
export async function repeatedTransactions(target: Target): Promise<Finding[]> {
  let failures = 0;
  const twice = target.honestBlock(2, 0).map(delivery => repeatedIn(delivery));
  failures += await post(target, twice);
  const first = target.honestBlock(2, 0);
  const again = target.honestBlock(2, 0);
  failures += await post(target, first);
  const [, block] = first;
  if (!block) throw new Error('no block');
  failures += await post(
    target,
    again.map(delivery => (delivery.path === '/new_block' ? withTransactionsOf(delivery, block) : delivery)),
  );
  failures += await post(target, target.honestBlock(1, 0));
  await untilIndexed(target.server());
  if (!(await showsNewest(target))) failures++;
  const { code, output } = await measured(['verify', ...target.place], 600_000);
  if (process.env.ATTACK_VERBOSE) console.log(output.slice(-1500));
  return [
    { what: 'honest blocks that are missing, and failures', worst: failures, bound: 0, unit: '' },
    { what: 'status of verify', worst: code, bound: 0, unit: '' },
  ];
}

interface Placed {
  readonly txid: string;
  readonly tx_index: number;
}

type Block = {
  readonly transactions: readonly Placed[];
  readonly events: readonly { readonly txid: string }[];
};

type Bytes = { readonly path: string; readonly body: Uint8Array };

const blockOf = ({ body }: Bytes): Block => JSON.parse(Buffer.from(body).toString());

/** The block with its first transaction once more, at its end. */
function repeatedIn<T extends Bytes>(delivery: T): T {
  if (delivery.path !== '/new_block') return delivery;
  const block = blockOf(delivery);
  const [tx] = block.transactions;
  const transactions = [...block.transactions, { ...tx, tx_index: block.transactions.length }];
  return { ...delivery, body: Buffer.from(JSON.stringify({ ...block, transactions })) };
}

/** The block with the transactions of another one before its own. */
function withTransactionsOf<T extends Bytes>(delivery: T, other: Bytes): T {
  const block = blockOf(delivery);
  const { transactions: repeated } = blockOf(other);
  const transactions = [...repeated, ...block.transactions].map((tx, tx_index) => ({ ...tx, tx_index }));
  return { ...delivery, body: Buffer.from(JSON.stringify({ ...block, transactions })) };
}
