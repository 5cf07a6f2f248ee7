import { BUSY, BUSY_CONTRACT, type GrowingChain, QUIET, QUIET_COIN } from '../growing-chain.ts';
import { LIMIT, list, page, type Request } from './request.ts';

const encode = encodeURIComponent;

/** What a principal did, and what it has. */
export function ofPrincipals(chain: GrowingChain): Request[] {
  const { quietBlock: block, quietCall: call, top } = chain;
  return [
    list('getAddressTransactions quiet address', `/extended/v2/addresses/${QUIET}/transactions`),
    list('getAddressTransactions busy address', `/extended/v2/addresses/${BUSY}/transactions`),
    page('getAccountNonces quiet address', `/extended/v1/address/${QUIET}/nonces`),
    page('getAccountNonces busy address', `/extended/v1/address/${BUSY}/nonces`),
    page(
      'getAccountNonces busy address, at a block',
      `/extended/v1/address/${BUSY}/nonces?block_height=${block.height}`,
    ),
    page('getFilteredEvents of a quiet address', `/extended/v1/tx/events?address=${QUIET}&limit=${LIMIT}`),
    page('getFilteredEvents of a busy address', `/extended/v1/tx/events?address=${BUSY}&limit=${LIMIT}`, () => 300),
    page('getFilteredEvents of a busy contract', `/extended/v1/tx/events?address=${BUSY_CONTRACT}&limit=${LIMIT}`),
    page(
      'getAddressTransactionEvents quiet transaction',
      `/extended/v2/addresses/${QUIET}/transactions/${call.txId}/events`,
    ),
    page(
      'getAddressTransactionEvents busy address',
      `/extended/v2/addresses/${BUSY}/transactions/${top.txs[3]?.txId}/events`,
    ),
    ...histories(chain),
    ...[QUIET, BUSY].flatMap(principal => balances(principal, block.height + 30)),
  ];
}

/** The older lists of a principal. */
function histories({ quietBlock: block, quietCall: call }: GrowingChain): Request[] {
  const of = (principal: string) => `/extended/v1/address/${principal}`;
  return [
    list('getAccountTransactions quiet address', `${of(QUIET)}/transactions`),
    list('getAccountTransactions busy address', `${of(BUSY)}/transactions`),
    list('getAccountTransactions at a block', `${of(BUSY)}/transactions?until_block=${block.height + 20}`),
    list('getAccountTransactions of a block', `${of(QUIET)}/transactions?height=${block.height}`),
    list('getAccountTransactionsWithTransfers quiet address', `${of(QUIET)}/transactions_with_transfers`),
    list('getAccountTransactionsWithTransfers busy address', `${of(BUSY)}/transactions_with_transfers`),
    list(
      'getAccountTransactionsWithTransfers at a block',
      `${of(BUSY)}/transactions_with_transfers?until_block=${block.height + 20}`,
    ),
    list('getAccountAssets quiet address', `${of(QUIET)}/assets`),
    list('getAccountAssets busy address', `${of(BUSY)}/assets`),
    list('getAccountAssets at a block', `${of(BUSY)}/assets?until_block=${block.height + 20}`),
    list('getAccountInbound busy address', `${of(BUSY)}/stx_inbound`),
    list('getAccountInbound at a block', `${of(BUSY)}/stx_inbound?until_block=${block.height + 20}`),
    page('getSingleTransactionWithTransfers', `${of(QUIET)}/${call.txId}/with_transfers`),
  ];
}

function balances(principal: string, height: number): Request[] {
  const who = principal === QUIET ? 'quiet' : 'busy';
  return [
    page(`getAccountStxBalance ${who} address`, `/extended/v1/address/${principal}/stx`),
    page(`getAccountBalance ${who} address`, `/extended/v1/address/${principal}/balances`),
    page(`getPrincipalStxBalance ${who} address`, `/extended/v2/addresses/${principal}/balances/stx`),
    page(`getPrincipalFtBalances ${who} address`, `/extended/v2/addresses/${principal}/balances/ft`),
    page(
      `getPrincipalFtBalance ${who} address`,
      `/extended/v2/addresses/${principal}/balances/ft/${encode(`${QUIET_COIN}::gold`)}`,
    ),
    page(
      `getAccountBalance ${who} address at a height`,
      `/extended/v1/address/${principal}/balances?until_block=${height}`,
    ),
  ];
}
