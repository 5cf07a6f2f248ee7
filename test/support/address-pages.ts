import type { BuiltBlock } from './chain-builder.ts';
import type { ApiResponse, TestIndex } from './test-index.ts';
import { accountAddress } from './transaction-builder.ts';

/** Who sends and who receives a transfer of the chain builder that names neither. */
export const PAYER = accountAddress(9);
export const PAYEE = accountAddress(7);
/** In no transaction that does not name it. */
export const STRANGER = accountAddress(42);

export const deliver = (index: TestIndex, blocks: readonly BuiltBlock[]) =>
  index.deliver(...blocks.map(block => block.delivery));

/** A page of the transactions of a principal. */
export const transactions = async (index: TestIndex, principal: string, query = ''): Promise<ApiResponse['body']> =>
  (await index.get(`/extended/v2/addresses/${principal}/transactions${query}`)).body;

export const ids = async (index: TestIndex, principal: string): Promise<string[]> =>
  (await transactions(index, principal)).results.map((entry: { tx: { tx_id: string } }) => entry.tx.tx_id);

/** The events of a transaction that concern a principal. */
export const eventsOf = (index: TestIndex, principal: string, txId: string, query = ''): Promise<ApiResponse> =>
  index.get(`/extended/v2/addresses/${principal}/transactions/${txId}/events${query}`);
