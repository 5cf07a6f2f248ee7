import { principalOf } from '../principals.ts';
import { eventRecord } from '../records/event.ts';
import { transactionRecord } from '../records/transaction.ts';
import { failed, numberOf, ok, type Route } from '../route.ts';
import type { Payload, Tx, World } from '../world.ts';
import { askedOf } from './histories.ts';

/** Either party of what moves an asset, or whose STX are locked. */
const concerns = (event: Payload, principal: string): boolean => {
  if (event.type === 'contract_event') return false;
  const { sender, recipient, locked_address } = event[event.type] ?? {};
  return [sender, recipient, locked_address].includes(principal);
};

/** One page of what each transaction gives, the newest first. */
function responseOf(
  world: World,
  given: string,
  query: URLSearchParams,
  recordsOf: (tx: Tx, principal: string) => readonly unknown[],
) {
  const principal = principalOf(given);
  const asked = askedOf(world, query);
  if (principal === undefined) return failed(400);
  if (typeof asked === 'number') return failed(asked);
  const records = asked.flatMap(tx => recordsOf(tx, principal).toReversed());
  const limit = numberOf(query, 'limit', 20) || 20;
  const offset = numberOf(query, 'offset', 0);
  return ok({ limit, offset, total: records.length, results: records.slice(offset, offset + limit) });
}

/** getAccountAssetsV1. */
const assets: Route['respond'] = (world, { principal = '' }, query) =>
  responseOf(world, principal, query, (tx, owner) =>
    tx.events.filter(event => concerns(event, owner)).map(event => eventRecord(tx, event)),
  );

/** The contract whose prints are memos. */
export const SEND_MANY: Readonly<Record<World['network'], string>> = {
  mainnet: 'SP3FBR2AGK5H9QBDH3EEN6DF8EK8JY7RX8QJ5SVTE.send-many-memo',
  testnet: 'ST3F1X4QGV2SM8XD96X45M6RTQXKA1PZJZZCQAB4B.send-many-memo',
};

/** getAccountInboundV1: a token transfer to the principal, then events with a memo of their own, and with one that is printed next. */
const inbound: Route['respond'] = (world, { principal = '' }, query) =>
  responseOf(world, principal, query, (tx, owner) => {
    const { payload, origin } = tx.decoded;
    const record = transactionRecord(world, tx) as { token_transfer?: { memo: string } };
    const { block_height, tx_index, tx_id } = transactionRecord(world, tx);
    const place = { block_height, tx_index, tx_id };
    const found: unknown[] = [];
    if (payload.kind === 'token_transfer' && payload.recipient === owner)
      found.push({
        sender: origin.address,
        amount: String(payload.amount),
        memo: record.token_transfer?.memo,
        transfer_type: 'stx-transfer',
        ...place,
      });
    for (const [i, event] of tx.events.entries()) {
      const { sender = '', recipient, amount, memo } = event.stx_transfer_event ?? event.stx_mint_event ?? {};
      if (recipient !== owner) continue;
      const shown = { sender, amount: String(amount), ...place };
      if (memo) found.push({ ...shown, memo: `0x${memo}`, transfer_type: 'stx-transfer-memo' });
      const printed = tx.events[i + 1]?.contract_event;
      if (printed?.contract_identifier === SEND_MANY[world.network])
        found.push({ ...shown, memo: printed.raw_value, transfer_type: 'bulk-send' });
    }
    return found;
  });

export const addressEventRoutes: readonly Route[] = [
  { template: '/extended/v1/address/{principal}/assets', respond: assets },
  { template: '/extended/v1/address/{principal}/stx_inbound', respond: inbound },
];
