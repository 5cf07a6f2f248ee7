import { postConditionModeName, postConditionToApi, tenureCauseName } from '../../../../src/base/codec/index.ts';
import type { SpendingCondition } from '../../../../src/base/codec/transaction/spending-condition.ts';
import { clarity } from '../../records/transaction.ts';
import { leading, memo, ofType, position } from '../../records/v3-transaction.ts';
import { failed, numberOf, ok, type Route } from '../../route.ts';
import { NO_BYTES } from '../../transactions.ts';
import type { MempoolTx, Payload, Tx, World } from '../../world.ts';
import { cursorPage } from './page.ts';

const idOf = (id: string): string => `0x${id.replace(/^0x/, '').toLowerCase()}`;

/** getTransactionV3 */
const byId: Route['respond'] = (world, { id = '' }, query) => {
  const txId = idOf(id);
  const include = query.getAll('include').flatMap(text => text.split(','));
  const confirmed = world.txs.findLast(tx => tx.txId === txId);
  if (confirmed) return ok(confirmedRecord(world, confirmed, include));
  const waiting = world.mempool.find(tx => tx.txId === txId && tx.status !== 'mined');
  return waiting ? ok(waitingRecord(waiting, include)) : failed(404);
};

function confirmedRecord(world: World, tx: Tx, include: readonly string[]) {
  const { payload, block } = tx;
  const tip = world.blocks.at(-1);
  return {
    ...leading(tx),
    ...position(tx),
    parent_block: {
      hash: block.payload.parent_block_hash,
      index_hash: block.hash === '0x' ? tip?.indexHash : block.parentIndexHash,
    },
    status: payload.status,
    event_count: tx.events.length,
    execution_cost: payload.execution_cost,
    vm_error: payload.vm_error?.replaceAll('\0', '') ?? null,
    ...conditions(tx, include),
    ...(include.includes('result') && { result: clarity(payload.raw_result) }),
    ...whole(tx, include),
    ...auth(tx, include),
  };
}

const waitingRecord = (tx: MempoolTx, include: readonly string[]) => ({
  ...leading(tx),
  receipt_time: tx.receiptTime,
  receipt_block_height: tx.tip?.height ?? 0,
  status: tx.status,
  replaced_by_tx_id: tx.replacedBy,
  ...conditions(tx, include),
  ...whole(tx, include),
  ...auth(tx, include),
});

/** How its bytes say that it is signed. */
const auth = ({ decoded: { origin, sponsor }, raw }: Pick<Tx, 'decoded' | 'raw'>, include: readonly string[]) =>
  include.includes('auth') &&
  raw !== NO_BYTES && {
    auth: { size: (raw.length - 2) / 2, sender: signedBy(origin), sponsor: sponsor && signedBy(sponsor) },
  };

const MODES = ['p2pkh', 'p2sh', 'p2wpkh_p2sh', 'p2wsh_p2sh', '', 'p2sh_non_sequential', '', 'p2wsh_non_sequential'];

function signedBy(by: SpendingCondition) {
  const fields = by.kind === 'multi_sig' ? by.fields : [];
  return {
    hash_mode: MODES[by.hashMode],
    signatures_required: by.kind === 'multi_sig' ? by.signaturesRequired : 1,
    signatures_given: by.kind === 'multi_sig' ? fields.filter(field => 'signature' in field).length : 1,
    keys: by.kind === 'multi_sig' ? fields.length : 1,
  };
}

const conditions = ({ decoded }: Pick<Tx, 'decoded'>, include: readonly string[]) =>
  include.includes('post_conditions') && {
    post_condition_mode: postConditionModeName(decoded.postConditionMode),
    post_conditions: decoded.postConditions.map(postConditionToApi),
  };

/** What lists show of the payload, and more. */
function whole({ decoded: { payload, origin } }: Pick<Tx, 'decoded'>, include: readonly string[]) {
  const summary = ofType(payload, origin.address);
  const more = (extra: object) => ({
    ...summary,
    [payload.kind]: { ...((summary as Readonly<Record<string, unknown>>)[payload.kind] as object), ...extra },
  });
  switch (payload.kind) {
    case 'smart_contract':
      return more(include.includes('source_code') ? { source_code: payload.source.replaceAll('\0', '') } : {});
    case 'contract_call':
      return more(
        include.includes('function_args')
          ? { function_args: payload.args.map(({ hex, repr }) => ({ hex, repr })) }
          : {},
      );
    case 'coinbase':
      return more({ payload: payload.data, vrf_proof: payload.vrfProof });
    case 'tenure_change':
      return more({
        cause: tenureCauseName(payload.cause),
        tenure_consensus_hash: payload.tenureConsensusHash,
        prev_tenure_consensus_hash: payload.previousTenureConsensusHash,
        burn_view_consensus_hash: payload.burnViewConsensusHash,
        previous_tenure_end: payload.previousTenureEnd,
        previous_tenure_blocks: payload.previousTenureBlocks,
        pubkey_hash: payload.publicKeyHash,
      });
    default:
      return summary;
  }
}

/** getTransactionEventsV3 */
const events: Route['respond'] = (world, { id = '' }, query) => {
  const tx = world.txs.findLast(({ txId }) => txId === idOf(id));
  if (!tx) return failed(404);
  const cursors = tx.events.map((_, i) => String(i));
  return ok(
    cursorPage(
      [...tx.events.entries()],
      cursors,
      numberOf(query, 'cursor', 0),
      numberOf(query, 'limit', 20),
      eventRecord,
    ),
  );
};

const NAMES: Readonly<Record<string, string>> = { stx: 'stx_asset', ft: 'ft_asset', nft: 'nft_asset' };

function eventRecord([event_index, event]: [number, Payload]) {
  const data = event[event.type];
  const as = (type: string, value: object) => ({ event_index, type, [type]: value });
  if (event.type === 'contract_event') {
    const { contract_identifier: contract_id, topic, raw_value } = data;
    return as('contract_log', { contract_id, topic, value: clarity(raw_value) });
  }
  if (event.type === 'stx_lock_event')
    return as('stx_lock', {
      amount: String(data.locked_amount),
      unlock_bitcoin_height: Number(data.unlock_height),
      address: data.locked_address,
    });
  const [asset = '', type] = event.type.split('_');
  return as(NAMES[asset] ?? '', {
    type,
    ...(type !== 'mint' && { sender: data.sender }),
    ...(type !== 'burn' && { recipient: data.recipient }),
    ...(asset !== 'stx' && { asset_identifier: data.asset_identifier }),
    ...(asset === 'nft' ? { value: clarity(data.raw_value) } : { amount: String(data.amount) }),
    ...(asset === 'stx' && type === 'transfer' && { memo: data.memo ? memo(`0x${data.memo}`) : null }),
  });
}

export const v3TransactionByIdRoutes: readonly Route[] = [
  { template: '/extended/v3/transactions/{id}', respond: byId },
  { template: '/extended/v3/transactions/{id}/events', respond: events },
];
