import { PLACE, placeIn, tokenOf } from '../../../src/api/live/token.ts';
import {
  ALWAYS_PENDING,
  BUSY,
  BUSY_CONTRACT,
  type GrowingChain,
  QUIET,
  QUIET_COIN,
  QUIET_NFTS,
} from '../growing-chain.ts';
import { LIMIT, page, type Request, UNKNOWN_HASH } from './request.ts';

const encode = encodeURIComponent;

/** Pages by cursor: the first one, and one far down. */
export function ofVersion3({ quietBlock: block, quietCall: call, top }: GrowingChain): Request[] {
  const from = (height: number): string => `limit=${LIMIT}&cursor=${height}:0:0`;
  const events = `/extended/v3/stream/events?limit=${LIMIT}`;
  const after = tokenOf(placeIn(block.height, block.indexHash, PLACE.end, false));
  return [
    page('getTransactions', `/extended/v3/transactions?limit=${LIMIT}`),
    page('getTransactions from a cursor', `/extended/v3/transactions?${from(block.height + 40)}`),
    page('getTransactions after a fork', `/extended/v3/transactions?limit=${LIMIT}&seen_tip=0x${'57'.repeat(32)}`),
    page('getBlockTransactions', `/extended/v3/blocks/${block.height}/transactions?limit=${LIMIT}`),
    page('getBlockCells', `/extended/v3/blocks/${block.height}/cells?blocks=${LIMIT}`),
    page('getBlockCells newest', `/extended/v3/blocks/latest/cells?blocks=${LIMIT}`),
    page('getTransaction', `/extended/v3/transactions/${call.txId}`),
    page('getServerStatus', '/extended/v3/status'),
    page('getForks', `/extended/v3/forks?limit=${LIMIT}`),
    page('getFork', `/extended/v3/forks/${UNKNOWN_HASH}`),
    page('getTransactionEvents', `/extended/v3/transactions/${call.txId}/events?limit=${LIMIT}`),
    page('getMempoolTransactionPosition', `/extended/v3/mempool/transactions/${ALWAYS_PENDING.txId}/position`),
    page('getMempoolBands', '/extended/v3/mempool/bands'),
    page('getMempoolTransactions', `/extended/v3/mempool/transactions?limit=${LIMIT}`),
    page('getStreamEvents at the tip', `${events}&topics=block`),
    page('getStreamEvents of a principal', `${events}&topics=principal:${BUSY}&after=${after}`),
    page('getStreamEvents of what is rare', `${events}&topics=principal:${QUIET}&after=${after}`),
    page('getStxTotalSupply', '/extended/v3/tokens/stx/supply'),
    page('getStxHolders', `/extended/v3/tokens/stx/holders?limit=${LIMIT}`),
    page('getFtTotalSupply', `/extended/v3/tokens/ft/${encode(`${QUIET_COIN}::gold`)}/supply`),
    page('getFtHoldersByBalance', `/extended/v3/tokens/ft/${encode(`${QUIET_COIN}::gold`)}/holders?limit=${LIMIT}`),
    page('getFtTransfers', `/extended/v3/tokens/ft/${encode(`${BUSY_CONTRACT}::coin`)}/transfers?limit=${LIMIT}`),
    page('getNftInstanceHistory', `/extended/v3/tokens/nft/${encode(`${QUIET_NFTS}::cat`)}/1/history?limit=${LIMIT}`),
    ...[call.txId, block.hash.slice(0, 12), String(block.height), QUIET.slice(0, 9), BUSY_CONTRACT].map(beginning =>
      page(`search ${beginning}`, `/extended/v3/search?q=${beginning}&limit=${LIMIT}`),
    ),
    ...[QUIET, BUSY].flatMap(principal => {
      const path = `/extended/v3/principals/${principal}`;
      return [
        page('getPrincipalTransactions', `${path}/transactions?limit=${LIMIT}`),
        page('getPrincipalTransactions from a cursor', `${path}/transactions?${from(block.height + 40)}`),
        page(
          'getPrincipalTransactionBalanceChanges',
          `${path}/transactions/${call.txId}/balance-changes?limit=${LIMIT}`,
        ),
        page(
          'getPrincipalBalanceChanges',
          `${path}/balance-changes?tx_id=${call.txId},${top.txs[3]?.txId}&limit=${LIMIT}`,
        ),
        page('getPrincipalBalancesStx', `${path}/balances/stx`),
        page('getPrincipalStxHistory', `${path}/balances/stx/history?points=${LIMIT}`),
        page('getPrincipalBalancesFt', `${path}/balances/ft?limit=${LIMIT}`),
        page('getPrincipalBalanceFt', `${path}/balances/ft/${encode(`${BUSY_CONTRACT}::coin`)}`),
        page('getPrincipalBalancesNft', `${path}/balances/nft?limit=${LIMIT}`),
        page('getPrincipalNonces', `${path}/nonces`),
        page('getPrincipalMempoolTransactions', `${path}/mempool/transactions?limit=${LIMIT}`),
        page('getPrincipalInboundStxTransfers', `${path}/transfers/stx/inbound?limit=${LIMIT}`),
        page(
          'getPrincipalOutboundStxTransfers from a cursor',
          `${path}/transfers/stx/outbound?${from(block.height + 40)}:0`,
        ),
      ];
    }),
  ];
}
