import { decodeClarityValue } from '../../../../src/base/codec/index.ts';
import { fromHex, toHex } from '../../../../src/base/lib/hex.ts';
import { principalOf } from '../../principals.ts';
import { memo, position } from '../../records/v3-transaction.ts';
import { failed, type Route } from '../../route.ts';
import type { Payload, Tx, World } from '../../world.ts';
import { SEND_MANY } from '../address-events.ts';
import { eventsPage } from './page.ts';

/** What the next event prints, if the contract that sends to many did. */
function printedMemo({ network }: World, next: Payload | undefined): string | undefined {
  const print = next?.contract_event;
  if (print?.contract_identifier !== SEND_MANY[network]) return undefined;
  const value = decodeClarityValue(fromHex(print.raw_value) ?? new Uint8Array());
  return value.ok && value.value.type === 'buffer' ? toHex(value.value.value) : '0x';
}

/** STX events of a transaction, with their memos. */
const movesOf = (world: World, tx: Tx) =>
  tx.events.flatMap((event, index) => {
    const moved = event.stx_transfer_event ?? event.stx_mint_event ?? event.stx_burn_event;
    if (!moved) return [];
    const { sender = null, recipient = null, amount, memo: own } = moved;
    const { payload } = tx.decoded;
    const ownNote = payload.kind === 'token_transfer' ? payload.memo : `0x${own ?? ''}`;
    const note = printedMemo(world, tx.events[index + 1]) ?? ownNote;
    return [{ tx, index, sender, recipient, amount: String(amount), memo: note === '0x' ? null : memo(note) }];
  });

/** getPrincipalInboundStxTransfersV3, getPrincipalOutboundStxTransfersV3 */
const transfers =
  (party: 'sender' | 'recipient'): Route['respond'] =>
  (world, { principal = '' }, query) => {
    const owner = principalOf(principal);
    if (owner === undefined) return failed(400);
    const own = world.txs.flatMap(tx => movesOf(world, tx)).filter(move => move[party] === owner);
    return eventsPage(
      world,
      own.toReversed(),
      move => move,
      query,
      ({ tx, index, ...move }) => ({
        ...move,
        transaction: { tx_id: tx.txId, event_index: index },
        block: position(tx).block,
      }),
    );
  };

const TRANSFERS = '/extended/v3/principals/{principal}/transfers/stx';

export const v3StxTransferRoutes: readonly Route[] = [
  { template: `${TRANSFERS}/inbound`, respond: transfers('recipient') },
  { template: `${TRANSFERS}/outbound`, respond: transfers('sender') },
];
