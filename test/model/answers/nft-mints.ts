import { isValidPrincipal } from '../../../src/codec/index.ts';
import { clarity, transactionRecord } from '../records/transaction.ts';
import { failed, numberOf, ok, page, type Route } from '../route.ts';

/** getNftMints: every mint of an asset, the newest first; one of an unanchored transaction only where that is asked for. */
const mints: Route['answer'] = (world, _params, query) => {
  const asset = query.get('asset_identifier') ?? '';
  const [contract = '', name = ''] = asset.split('::');
  if (name === '' || !isValidPrincipal(contract)) return failed(400);
  const tip = world.blocks.at(-1)?.height ?? 0;
  const highest = query.get('unanchored') === 'true' ? tip + 1 : tip;
  const found = world.txs
    .filter(({ block }) => block.height <= highest)
    .flatMap(tx => tx.events.map(({ nft_mint_event: mint }, event_index) => ({ tx, mint, event_index })))
    .filter(({ mint }) => mint?.asset_identifier === asset)
    .reverse();
  const withTransaction = query.get('tx_metadata') === 'true';
  const served = ({ tx, mint, event_index }: (typeof found)[number]) => ({
    recipient: mint.recipient,
    event_index,
    value: clarity(mint.raw_value),
    ...(withTransaction ? { tx: transactionRecord(world, tx) } : { tx_id: tx.txId }),
  });
  return ok(page(found, numberOf(query, 'limit', 50) || 50, numberOf(query, 'offset', 0), served));
};

export const nftMintRoutes: readonly Route[] = [{ template: '/extended/v1/tokens/nft/mints', answer: mints }];
