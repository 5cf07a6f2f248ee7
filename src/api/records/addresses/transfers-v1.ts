import { principalsOf, rolesInStored } from '../../../index/addresses/roles.ts';
import { reprOf } from '../../../index/transactions/record.ts';
import { readTransaction, version1Text } from '../../../index/transactions/stored.ts';
import { type AssetEvent, type EventFacts, isAssetEvent } from '../../../ingest/chain/event-facts.ts';
import { amount, assetId, ClarityValueSchema, count, hash, hexString, principal, word } from '../../http/schema.ts';
import { Type } from '../../http/type.ts';
import { TransactionSchemaV1 } from '../transactions/schema.ts';
import type { HistoryEntry } from './transactions-v1.ts';

/** The moved asset and both parties. A missing party, as in a mint or a burn, is an empty string. */
const party = (description: string) => Type.Union([principal(), Type.Literal('')], { description });
const PARTIES = { sender: party('Empty for a mint'), recipient: party('Empty for a burn') };

const STX = {
  tx: TransactionSchemaV1,
  stx_sent: amount('Micro-STX that left the principal, with the fee where it is the sender, even if a sponsor paid it'),
  stx_received: amount('Micro-STX that came to the principal'),
  stx_transfers: Type.Array(Type.Object({ amount: amount(), ...PARTIES })),
};

/** A transaction of a principal with the STX that it moved. */
export const TransactionWithStxTransfersSchemaV1 = Type.Object(STX, { title: 'TransactionWithStxTransfers' });

/** The same with all tokens. Events are those of the principal, the last one first. */
export const TransactionWithTransfersSchemaV1 = Type.Object(
  {
    ...STX,
    ft_transfers: Type.Array(
      Type.Object({ asset_identifier: assetId(), amount: amount('In the smallest unit of the token'), ...PARTIES }),
    ),
    nft_transfers: Type.Array(Type.Object({ asset_identifier: assetId(), value: ClarityValueSchema, ...PARTIES })),
  },
  { title: 'TransactionWithTransfers' },
);

/** STX that came to a principal. */
export const InboundSchemaV1 = Type.Object(
  {
    sender: party('Empty for a mint'),
    amount: amount(),
    memo: hexString('`0x` for an operation from Bitcoin; of a bulk send the Clarity value that was printed'),
    block_height: count(),
    tx_id: hash(),
    transfer_type: word(['stx-transfer', 'stx-transfer-memo', 'bulk-send']),
    tx_index: count('Position in the block'),
  },
  { title: 'InboundStxTransfer' },
);

/** JSON text of a transaction of a principal with the STX that it moved. @param events all of the transaction */
export function transactionWithStxTransfersV1(
  entry: HistoryEntry,
  events: readonly EventFacts[],
  principal: string,
): string {
  return withFields(entry, stxFields(entry, movesOf(events, principal), principal));
}

/** The same with all tokens. */
export function transactionWithTransfersV1(
  entry: HistoryEntry,
  events: readonly EventFacts[],
  principal: string,
): string {
  const moves = movesOf(events, principal);
  return withFields(entry, {
    ...stxFields(entry, moves, principal),
    ft_transfers: moves.flatMap(move =>
      move.kind === 'ft' ? [{ asset_identifier: move.asset, amount: move.amount, ...partiesOf(move) }] : [],
    ),
    nft_transfers: moves.flatMap(move =>
      move.kind === 'nft'
        ? [{ asset_identifier: move.asset, value: { hex: move.value, repr: reprOf(move.value) }, ...partiesOf(move) }]
        : [],
    ),
  });
}

const withFields = ({ record }: HistoryEntry, fields: object): string =>
  `{"tx":${version1Text(record)},${JSON.stringify(fields).slice(1)}`;

/** Events of a principal, the last one first. */
const movesOf = (events: readonly EventFacts[], principal: string): AssetEvent[] =>
  events
    .filter(isAssetEvent)
    .filter(({ sender, recipient }) => sender === principal || recipient === principal)
    .reverse();

function stxFields({ record }: HistoryEntry, moves: readonly AssetEvent[], principal: string) {
  const { sender, fee: paid } = readTransaction(record);
  const stx = moves.filter(move => move.kind === 'stx');
  const sum = (role: 'sender' | 'recipient'): bigint =>
    stx.filter(move => move[role] === principal).reduce((total, move) => total + BigInt(move.amount), 0n);
  const fee = sender === principal ? BigInt(paid) : 0n;
  return {
    stx_sent: String(sum('sender') + fee),
    stx_received: String(sum('recipient')),
    stx_transfers: stx.map(move => ({ amount: move.amount, ...partiesOf(move) })),
  };
}

const partiesOf = ({ sender, recipient }: AssetEvent) => ({ sender: sender ?? '', recipient: recipient ?? '' });

/** Whether a principal has a part in a transaction besides sponsoring it, and moving other tokens than STX. */
export function takesPart({ record }: HistoryEntry, events: readonly EventFacts[], principal: string): boolean {
  const roles = rolesInStored(readTransaction(record)).filter(({ as }) => as !== 'sponsor');
  const moves = events.filter(({ kind }) => kind === 'stx');
  return principalsOf(roles, moves).has(principal);
}
