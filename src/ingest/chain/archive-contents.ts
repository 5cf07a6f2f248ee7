import { decodeTransaction } from '../../base/codec/index.ts';
import { fromHex } from '../../base/lib/hex.ts';
import type { ArchiveRow } from '../node/archive/row.ts';
import type { EventLimits } from '../node/events/json.ts';
import { type NodeEvent, parseEvent } from '../node/events/parse.ts';

/** What rows of an archive contain. */
export interface ArchiveContents {
  readonly rows: number;
  /** Rows that cannot be read. */
  readonly unreadable: number;
  /** Bytes of JSON. */
  readonly jsonBytes: number;
  readonly blocks: number;
  readonly transactions: number;
  readonly contractCalls: number;
  /** Events of transactions. */
  readonly events: number;
  readonly burnBlocks: number;
  /** Transactions that came to or left the mempool. */
  readonly mempoolTransactions: number;
}

export const NO_CONTENTS: ArchiveContents = {
  ...{ rows: 0, unreadable: 0, jsonBytes: 0, blocks: 0, transactions: 0, contractCalls: 0, events: 0 },
  ...{ burnBlocks: 0, mempoolTransactions: 0 },
};

/** The sum of contents, each times its factor. */
export const addedContents = (
  parts: readonly (readonly [factor: number, contents: ArchiveContents])[],
): ArchiveContents =>
  Object.fromEntries(
    Object.keys(NO_CONTENTS).map(key => [
      key,
      parts.reduce((sum, [factor, contents]) => sum + factor * contents[key as keyof ArchiveContents], 0),
    ]),
  ) as unknown as ArchiveContents; // by its own keys

export function contentsOf(row: ArchiveRow, limits: EventLimits): ArchiveContents {
  if (row.kind === 'bad') return { ...NO_CONTENTS, rows: 1, unreadable: 1 };
  const event = parseEvent(row.path, row.body, limits);
  const own = { ...NO_CONTENTS, rows: 1, jsonBytes: row.body.length };
  return event.ok ? { ...own, ...countsOf(event.value) } : { ...own, unreadable: 1 };
}

function countsOf(event: NodeEvent): Partial<ArchiveContents> {
  switch (event.path) {
    case '/new_block': {
      const { transactions, events } = event.block;
      const calls = transactions.filter(({ raw_tx: rawTx }) => isContractCall(rawTx));
      return {
        blocks: 1,
        transactions: transactions.length,
        contractCalls: calls.length,
        events: events.length,
      };
    }
    case '/new_burn_block':
      return { burnBlocks: 1 };
    case '/new_mempool_tx':
      return { mempoolTransactions: event.rawTxs.length };
    case '/drop_mempool_tx':
      return { mempoolTransactions: event.drop.dropped_txids.length };
    case '/new_microblocks':
    case '/attachments/new':
    case 'acknowledged':
      return {};
    default:
      return event satisfies never;
  }
}

function isContractCall(rawTx: string): boolean {
  const decoded = decodeTransaction(fromHex(rawTx) ?? new Uint8Array());
  return decoded.ok && decoded.value.payload.kind === 'contract_call';
}
