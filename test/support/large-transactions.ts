/** Transactions with many events: the first of their parts is stored elsewhere than the others. */
import { encodeClarityUint } from '../../src/base/codec/index.ts';
import { toHex } from '../../src/base/lib/hex.ts';
import type { BuiltBlock, ChainBuilder } from './chain-builder.ts';
import { print } from './sample-names.ts';
import { accountAddress, type BuiltTx } from './transaction-builder.ts';
import { bytes } from './wire-transaction.ts';

export const CONTRACT = `${accountAddress(9)}.vault`;
export const TOKEN = `${CONTRACT}::coin`;
const [PAYER, PAYEE] = [accountAddress(9), accountAddress(7)];

type Event = BuiltTx['events'][number];

const event = (type: string, fields: Readonly<Record<string, unknown>>): Event => ({ type, [type]: fields });

/** Event number `i`: of every kind in turn, half of those that move something from PAYER to PAYEE. */
function eventNumber(i: number): Event {
  const sides = i % 2 === 0 ? { sender: PAYER, recipient: PAYEE } : { sender: accountAddress(8), recipient: PAYER };
  const amount = String(1 + i);
  switch (i % 6) {
    case 0:
    case 1:
      return event('stx_transfer_event', { ...sides, amount, memo: '' });
    case 2:
      return event('ft_mint_event', { recipient: sides.recipient, amount, asset_identifier: TOKEN });
    case 3:
      return event('nft_mint_event', {
        recipient: PAYEE,
        asset_identifier: `${CONTRACT}::thing`,
        raw_value: toHex(encodeClarityUint(i)),
      });
    case 4:
      return event('stx_lock_event', {
        locked_amount: amount,
        unlock_height: String(200 + i),
        locked_address: PAYEE,
        contract_identifier: CONTRACT,
      });
    default:
      return print(encodeClarityUint(i), CONTRACT);
  }
}

/** A block of transactions with so many events. */
export function largeBlock(chain: ChainBuilder, counts: readonly number[], parent?: BuiltBlock): BuiltBlock {
  const large = counts.map(count =>
    chain.tx(bytes(0x04, Buffer.alloc(32)), { events: Array.from({ length: count }, (_, i) => eventNumber(i)) }),
  );
  return chain.block({ ...(parent && { parent }), txs: [chain.coinbase(), ...large] });
}
