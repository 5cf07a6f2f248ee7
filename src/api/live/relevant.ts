import { hexBytes } from '../../base/lib/hex.ts';
import type { Pause } from '../../base/lib/loop-turns.ts';
import type { Span } from '../../base/lib/span.ts';
import type { Queries } from '../../base/store/database.ts';
import type { RowOf } from '../../base/store/table.ts';
import { principalListName, topicListName } from '../../index/transactions/log-fields.ts';
import type { TXS } from '../../index/transactions/tables.ts';
import { occurrences } from '../records/events/occurrences.ts';
import { readLogTopic, type Topic } from './topics.ts';

/** The transactions of a part of the chain that can have events for a listener: a reading skips all others. */
export interface Relevant {
  /** Positions among all transactions, in order. */
  readonly txs: readonly number[];
  /** Positions of the transactions of each principal whose balance is a topic. */
  readonly txsOf: ReadonlyMap<string, readonly number[]>;
  /** All relevant transactions below this position are known. */
  readonly end: number;
}

/** Whether lists have all transactions with events for these topics. There is no list for a collection of NFTs or for one NFT. */
export const areListed = (topics: readonly Topic[]): boolean => topics.every(({ kind }) => kind !== 'nft');

/** @param most entries to read of one list */
export async function relevantTransactions(
  queries: Queries,
  topics: readonly Topic[],
  span: Span,
  most: number,
  pause: Pause,
): Promise<Relevant> {
  const txs = new Set<number>();
  const txsOf = new Map<string, readonly number[]>();
  let end = span.to;
  for (const topic of topics) {
    await pause();
    const found = await transactionsFor(queries, topic, span, most);
    const last = found.at(-1);
    if (found.length >= most && last !== undefined) end = Math.min(end, last + 1);
    if (topic.kind === 'balance') txsOf.set(topic.subject, found);
    else for (const tx of found) txs.add(tx);
  }
  return { txs: [...txs].sort((a, b) => a - b), txsOf, end };
}

async function transactionsFor(
  queries: Queries,
  { kind, subject }: Topic,
  span: Span,
  most: number,
): Promise<number[]> {
  switch (kind) {
    case 'principal':
    case 'balance':
      return occurrences(queries, 'principal', subject, span, most);
    case 'contract-log':
      return occurrences(queries, 'contract-log', subject.split(':', 1)[0] ?? '', span, most);
    case 'contract-log-topic':
    case 'contract-log-principal': {
      const colon = subject.indexOf(':');
      const [contract, field] = [subject.slice(0, colon), subject.slice(colon + 1)];
      const name =
        kind === 'contract-log-topic'
          ? topicListName(contract, readLogTopic(field) ?? '')
          : principalListName(contract, field);
      return occurrences(queries, kind, name, span, most);
    }
    case 'ft':
      return occurrences(queries, 'ft', subject, span, most);
    case 'tx': {
      const sql = 'SELECT seq FROM txs WHERE tx_id = ? AND seq >= ? AND seq < ?';
      const rows = await queries.all<RowOf<typeof TXS, 'seq'>>(sql, [hexBytes(subject), span.from, span.to]);
      return rows.map(({ seq }) => seq);
    }
    case 'nft':
      throw new TypeError('no list has all transactions of an NFT');
    case 'block':
    case 'burn-block':
    case 'mempool':
    case 'reorg':
      return [];
    default:
      return kind satisfies never;
  }
}
