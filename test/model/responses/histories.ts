import { feeOf } from '../mempool.ts';
import { principalOf } from '../principals.ts';
import { listedTransaction } from '../records/listed.ts';
import { clarity, transactionRecord } from '../records/transaction.ts';
import { failed, numberOf, ok, type Route } from '../route.ts';
import type { Tx, World } from '../world.ts';
import { type Move, movesOf } from './address-transactions.ts';
import { heightAsked } from './balances.ts';

const rolesOf = ({ decoded: { origin, payload } }: Tx): (string | undefined)[] => [
  origin.address,
  payload.kind === 'token_transfer' ? payload.recipient : undefined,
  payload.kind === 'contract_call' ? payload.contractId : undefined,
  payload.kind === 'smart_contract' ? `${origin.address}.${payload.name}` : undefined,
];

const movesStx = (tx: Tx, principal: string): boolean => movesOf(tx, principal).some(({ asset }) => asset === 'stx');
const isOfBoot = ({ boot }: World, tx: Tx): boolean => boot?.txs.some(({ payload }) => payload === tx.payload) ?? false;

/** Sender, sponsor, recipient, contract, or a party of events of STX; nothing of the boot block. */
const hasStx = (world: World, tx: Tx, principal: string): boolean =>
  !isOfBoot(world, tx) &&
  (rolesOf(tx).includes(principal) || tx.decoded.sponsor?.address === principal || movesStx(tx, principal));

/** Sender, recipient, contract, or a party of any events that move something. */
const hasTransfers = (tx: Tx, principal: string): boolean =>
  rolesOf(tx).includes(principal) || movesOf(tx, principal).length > 0;

/** The requested part, newest first; a number is the status of an error. */
export function askedOf(world: World, query: URLSearchParams): readonly Tx[] | number {
  const height = numberOf(query, 'height', 0);
  if (height !== 0)
    return query.get('until_block')
      ? 400
      : world.txs.filter(({ block }) => block.height === height && block.hash !== '0x').reverse();
  const until = heightAsked(world, query);
  return typeof until === 'number' ? world.txs.filter(({ block }) => block.height <= until).reverse() : until.status;
}

/** getAccountTransactionsV1. */
const transactions: Route['respond'] = (world, { principal: given = '' }, query) => {
  const principal = principalOf(given);
  const asked = askedOf(world, query);
  if (principal === undefined || typeof asked === 'number') return failed(typeof asked === 'number' ? asked : 400);
  const found = asked.filter(tx => hasStx(world, tx, principal));
  const limit = numberOf(query, 'limit', 20) || 20;
  const offset = numberOf(query, 'offset', 0);
  const results = found.slice(offset, offset + limit).map(tx => listedTransaction(world, tx, query));
  return ok({ limit, offset, total: found.length, results });
};

/** getAccountTransactionsWithTransfersV1: of one block, all; otherwise a page, sorted by height and number in the block. */
const withTransfers: Route['respond'] = (world, { principal: given = '' }, query) => {
  const principal = principalOf(given);
  const asked = askedOf(world, query);
  if (principal === undefined || typeof asked === 'number') return failed(typeof asked === 'number' ? asked : 400);
  const found = asked.filter(tx => hasTransfers(tx, principal));
  const limit = numberOf(query, 'limit', 20) || 20;
  const offset = numberOf(query, 'offset', 0);
  const cut = numberOf(query, 'height', 0) === 0 ? found.slice(offset, offset + limit) : found;
  const sorted = cut.toSorted((a, b) => b.block.height - a.block.height || b.index - a.index);
  const results = sorted.map(tx => ({ ...stxOf(world, tx, principal), ...tokensOf(tx, principal) }));
  return ok({ limit, offset, total: found.length, results });
};

/** getSingleTransactionWithTransfersV1. */
const single: Route['respond'] = (world, { principal: given = '', tx_id = '' }) => {
  const principal = principalOf(given);
  if (principal === undefined) return failed(400);
  const txId = `0x${tx_id.replace(/^0x/, '').toLowerCase()}`;
  const tx = world.txs.findLast(tx => tx.txId === txId);
  if (!tx || !(rolesOf(tx).includes(principal) || movesStx(tx, principal))) return failed(404);
  return ok(stxOf(world, tx, principal));
};

const parties = ({ data }: Move) => ({ sender: data.sender ?? '', recipient: data.recipient ?? '' });
const lastFirst = (tx: Tx, principal: string, asset: Move['asset']): Move[] =>
  movesOf(tx, principal)
    .filter(move => move.asset === asset)
    .reverse();

function stxOf(world: World, tx: Tx, principal: string) {
  const moves = lastFirst(tx, principal, 'stx');
  const sum = (role: string): bigint =>
    moves.reduce((total, { data }) => (data[role] === principal ? total + BigInt(data.amount) : total), 0n);
  const fee = tx.decoded.origin.address === principal ? feeOf(tx.decoded) : 0n;
  return {
    tx: transactionRecord(world, tx, {}),
    stx_sent: String(sum('sender') + fee),
    stx_received: String(sum('recipient')),
    stx_transfers: moves.map(move => ({ amount: String(move.data.amount), ...parties(move) })),
  };
}

const tokensOf = (tx: Tx, principal: string) => ({
  ft_transfers: lastFirst(tx, principal, 'ft').map(move => ({
    asset_identifier: move.data.asset_identifier,
    amount: String(move.data.amount),
    ...parties(move),
  })),
  nft_transfers: lastFirst(tx, principal, 'nft').map(move => ({
    asset_identifier: move.data.asset_identifier,
    value: clarity(move.data.raw_value),
    ...parties(move),
  })),
});

export const historyRoutes: readonly Route[] = [
  { template: '/extended/v1/address/{principal}/transactions', respond: transactions },
  { template: '/extended/v1/address/{principal}/transactions_with_transfers', respond: withTransfers },
  { template: '/extended/v1/address/{principal}/{tx_id}/with_transfers', respond: single },
];
