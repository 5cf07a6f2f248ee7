/** A movement in the served form, and in a form for tax programs (docs/spec/addresses.md#movements). */
import type { Static } from 'typebox';
import { reprOf } from '../../../index/transactions/record.ts';
import type { RowTable } from '../../http/download/table.ts';
import {
  amount,
  assetId,
  ClarityValueSchema,
  count,
  hash,
  isoTimestamp,
  nullable,
  principal,
  unixTime,
  word,
} from '../../http/schema.ts';
import { Type } from '../../http/type.ts';
import { DIRECTIONS, directionOf, type Movement } from './movements.ts';

export const MovementSchemaV3 = Type.Object(
  {
    time: unixTime('Of the block'),
    time_iso: isoTimestamp(),
    type: word(['transfer', 'mint', 'burn', 'fee', 'reward'], 'fee: paid as sender or sponsor; reward: of a miner'),
    direction: word(DIRECTIONS, 'self: from the principal to itself, which changes no balance'),
    counterparty: nullable(principal(), 'Null for all but transfers'),
    asset: Type.Object({
      type: word(['stx', 'ft', 'nft']),
      identifier: nullable(assetId(), 'Null of STX'),
      value: nullable(ClarityValueSchema, 'Which non-fungible token; null of other assets'),
      symbol: nullable(Type.String(), 'STX, or of the metadata of the token as of now; null where it has none'),
      decimals: nullable(count(), 'Likewise'),
    }),
    amount: amount('In the smallest unit of the asset; 0 of a fee, 1 of a non-fungible token'),
    fee: amount('Micro-STX; 0 of all but fees'),
    balance: amount('Of the asset after the transaction, or after the reward: in its smallest unit, or tokens', true),
    tx_id: nullable(hash(), 'Null of a reward'),
    event_index: nullable(count(), 'Null of a fee and of a reward'),
    block: Type.Object({ height: count(), index_hash: hash() }),
  },
  { title: 'Movement' },
);

type MovementRecord = Static<typeof MovementSchemaV3>;

/** Facts of a record beside the movement. */
interface MovementFacts {
  readonly txId: string | null;
  readonly block: {
    readonly height: number;
    readonly index_hash: string;
    readonly time: number;
    readonly time_iso: string;
  };
  readonly symbol: string | null;
  readonly decimals: number | null;
  /** Balance of the asset after the movement. */
  readonly balance: bigint;
}

/** Keys in emitted order. @param principal of the list */
export function movementV3(
  { item, event, amount, fee }: Movement,
  principal: string,
  { txId, block, symbol, decimals, balance }: MovementFacts,
): MovementRecord {
  const { sender = null, recipient = null } = event ?? {};
  const direction = directionOf({ item, event }, principal);
  return {
    time: block.time,
    time_iso: block.time_iso,
    type: item.kind === 'event' ? (event?.action ?? 'transfer') : item.kind,
    direction,
    counterparty: direction === 'in' ? sender : recipient,
    asset: {
      type: event?.kind ?? 'stx',
      identifier: event === undefined || event.kind === 'stx' ? null : event.asset,
      value: event?.kind === 'nft' ? { hex: event.value, repr: reprOf(event.value) } : null,
      symbol,
      decimals,
    },
    amount: String(amount),
    fee: String(fee),
    balance: String(balance),
    tx_id: txId,
    event_index: item.kind === 'event' ? item.event_index : null,
    block: { height: block.height, index_hash: block.index_hash },
  };
}

const KOINLY_COLUMNS = [
  ...['Date', 'Sent Amount', 'Sent Currency', 'Received Amount', 'Received Currency', 'Fee Amount', 'Fee Currency'],
  ...['Net Worth Amount', 'Net Worth Currency', 'Label', 'Description', 'TxHash'],
];

/** The universal format of Koinly, a program for taxes on crypto assets. */
export const KOINLY: RowTable = {
  columns: KOINLY_COLUMNS,
  cells: row => {
    const { type, direction, asset, amount, fee, time_iso, tx_id, counterparty } = row as MovementRecord;
    const currency = currencyOf(asset);
    const moved = type === 'fee' ? decimalsOf(fee, 6) : decimalsOf(amount, asset.decimals ?? 0);
    const sent = direction === 'in' ? ['', ''] : [moved, currency];
    const received = direction === 'out' ? ['', ''] : [moved, currency];
    // A fee is a row of its own, as one transaction may move several assets.
    const label = type === 'fee' ? 'cost' : type === 'reward' ? 'mining' : '';
    const unit = asset.type === 'ft' && asset.decimals === null ? `in the smallest unit of ${asset.identifier}` : '';
    const description = [type, counterparty ?? '', asset.value?.repr ?? '', unit].filter(text => text !== '').join(' ');
    const date = `${time_iso.slice(0, 10)} ${time_iso.slice(11, 19)} UTC`;
    return [date, ...sent, ...received, '', '', '', '', label, description, tx_id ?? ''];
  },
};

/** The symbol of the asset, else the name of its class. */
const currencyOf = ({ symbol, identifier }: MovementRecord['asset']): string =>
  symbol ?? identifier?.split('::')[1] ?? '';

/** `1.5` for 1500000 with six decimals. */
function decimalsOf(amount: string, decimals: number): string {
  if (decimals === 0) return amount;
  const digits = amount.padStart(decimals + 1, '0');
  const part = digits.slice(-decimals).replace(/0+$/, '');
  return part === '' ? digits.slice(0, -decimals) : `${digits.slice(0, -decimals)}.${part}`;
}
