import { type Payload as TxPayload, tenureCauseName } from '../../../src/base/codec/index.ts';
import { fromHex } from '../../../src/base/lib/hex.ts';
import { feeOf } from '../mempool.ts';
import type { MempoolTx, Tx } from '../world.ts';

/** A transaction in a list of version 3 (docs/spec/transactions.md#version-3). */
export const summaryRecord = (tx: Tx) => ({
  ...leading(tx),
  ...position(tx),
  status: tx.payload.status,
  ...ofType(tx.decoded.payload, tx.decoded.origin.address),
});

/** A pending transaction in a list of version 3. */
export const waitingRecord = (tx: MempoolTx) => ({
  ...leading(tx),
  receipt_time: tx.receiptTime,
  receipt_block_height: tx.tip?.height ?? 0,
  status: 'pending',
  ...ofType(tx.decoded.payload, tx.decoded.origin.address),
});

export const leading = ({ txId, decoded: { origin, sponsor }, decoded }: Pick<Tx, 'txId' | 'decoded'>) => ({
  tx_id: txId,
  sender: { address: origin.address, nonce: Number(origin.nonce) },
  sponsor: sponsor ? { address: sponsor.address, nonce: Number(sponsor.nonce) } : null,
  fee_rate: String(feeOf(decoded)),
});

export const position = ({ block, index }: Tx) => ({
  block: {
    height: block.height,
    hash: block.hash,
    index_hash: block.indexHash,
    ...times(block.payload.block_time || block.burnTime),
    tx_index: index,
  },
  bitcoin_block: { height: block.burnHeight, ...times(block.burnTime) },
});

/** A time of a chain is after 1970, and one of no block is below. */
export const times = (time: number) => ({ time, time_iso: time >= 0 ? new Date(time * 1000).toISOString() : '' });

export function ofType(payload: TxPayload, sender: string) {
  const type = payload.kind;
  switch (payload.kind) {
    case 'token_transfer':
      return {
        type,
        token_transfer: {
          recipient: payload.recipient,
          amount: String(payload.amount),
          memo: memo(payload.memo),
        },
      };
    case 'smart_contract':
      return {
        type,
        smart_contract: { clarity_version: payload.clarityVersion, contract_id: `${sender}.${payload.name}` },
      };
    case 'contract_call':
      return { type, contract_call: { contract_id: payload.contractId, function_name: payload.functionName } };
    case 'poison_microblock':
      return { type };
    case 'coinbase':
      return { type, coinbase: { alt_recipient: payload.altRecipient } };
    case 'tenure_change':
      return { type, tenure_change: { cause: tenureCauseName(payload.cause) } };
    default:
      return payload satisfies never;
  }
}

export const memo = (hex: string) => ({ hex, repr: readable(hex) });

/** Words of printable text, one space between them. */
const readable = (hex: string): string =>
  [...Buffer.from(fromHex(hex) ?? []).toString('utf8')]
    .map(char => (/[\p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(char) && char !== '\ufffd' ? char : ' '))
    .join('')
    .split(' ')
    .filter(word => word !== '')
    .join(' ');
