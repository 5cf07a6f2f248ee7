import { canRegisterName, getNamePrice, getNamespacePrice } from '@stacks/bns';
import { STACKS_TESTNET, type StacksNetwork } from '@stacks/network';
import { RPCClient } from '@stacks/rpc-client';
import { Pox4SignatureTopic, StackingClient } from '@stacks/stacking';
import {
  broadcastTransaction,
  Cl,
  fetchAbi,
  fetchCallReadOnlyFunction,
  fetchContractMapEntry,
  fetchFeeEstimate,
  fetchFeeEstimateTransaction,
  fetchFeeEstimateTransfer,
  fetchNonce,
  makeContractCall,
  makeContractDeploy,
  makeSTXTokenTransfer,
  privateKeyToPublic,
} from '@stacks/transactions';
import {
  DerivationType,
  fetchUsernameForAccountByDerivationType,
  generateWallet,
  getRootNode,
  selectStxDerivation,
} from '@stacks/wallet-sdk';
import { ADDRESS } from '../../src/api/routes/examples.ts';
import { fromHex } from '../../src/base/lib/hex.ts';
import { rawOf, transferOf } from '../support/pending-transactions.ts';
import type { ClientCall } from './calls.ts';
import { BITCOIN_ADDRESS, CONTRACT_ADDRESS, CONTRACT_NAME, DEPOSITOR, FUNCTION, MAP } from './values.ts';

const KEY = `${'02'.repeat(32)}01`;
const SEED = `${'abandon '.repeat(11)}about`;

/** A network as programs of stacks.js configure it: another URL, nothing else. */
export const networkAt = (url: string): StacksNetwork => ({ ...STACKS_TESTNET, client: { baseUrl: url } });

export function callsOfStacksJs(url: string): ClientCall[] {
  const network = networkAt(url);
  return [
    ...transactionsCalls(network),
    ...stackingCalls(network),
    ...bnsCalls(network),
    ...walletCalls(network),
    ...rpcCalls(url),
  ];
}

const named =
  (client: string) =>
  ([method, run, refused]: readonly [string, () => Promise<unknown>, string?]): ClientCall => ({
    client,
    method,
    run,
    ...(refused !== undefined && { refused }),
  });

function transactionsCalls(network: StacksNetwork): ClientCall[] {
  const contract = { contractAddress: CONTRACT_ADDRESS, contractName: CONTRACT_NAME };
  const call = { ...contract, functionName: 'deposit', functionArgs: [Cl.uint(1)], senderKey: KEY, network };
  const transfer = (fee?: number) =>
    makeSTXTokenTransfer({ recipient: ADDRESS, amount: 1, senderKey: KEY, network, ...(fee !== undefined && { fee }) });
  const payload = '0005'.padEnd(200, '0');
  return [
    ['fetchNonce', () => fetchNonce({ address: ADDRESS, network })],
    // With a number in place of a transaction it requests the API of mainnet, whatever network it is given.
    ['fetchFeeEstimateTransfer', async () => fetchFeeEstimateTransfer({ transaction: await transfer(1), network })],
    ['fetchFeeEstimateTransaction', () => fetchFeeEstimateTransaction({ payload, estimatedLength: 180, network })],
    ['fetchFeeEstimate', async () => fetchFeeEstimate({ transaction: await transfer(1), network })],
    ['fetchAbi', () => fetchAbi({ ...contract, network })],
    [
      'fetchCallReadOnlyFunction',
      () =>
        fetchCallReadOnlyFunction({
          ...contract,
          functionName: FUNCTION,
          functionArgs: [DEPOSITOR],
          senderAddress: ADDRESS,
          network,
        }),
    ],
    ['fetchContractMapEntry', () => fetchContractMapEntry({ ...contract, mapName: MAP, mapKey: DEPOSITOR, network })],
    ['makeSTXTokenTransfer', () => transfer()],
    ['makeContractCall', () => makeContractCall({ ...call, validateWithAbi: true })],
    [
      'makeContractDeploy',
      () => makeContractDeploy({ contractName: 'new', codeBody: '(print 1)', senderKey: KEY, network }),
    ],
    [
      'broadcastTransaction',
      async () => sent(await broadcastTransaction({ transaction: await transfer(1000), network })),
    ],
  ].map(each => named('@stacks/transactions 7.6.0')(each as [string, () => Promise<unknown>]));
}

/** What a node refuses comes as a value. */
function sent<T extends object>(result: T): T {
  if ('error' in result) throw new Error(JSON.stringify(result));
  return result;
}

function stackingCalls(network: StacksNetwork): ClientCall[] {
  const client = new StackingClient({ address: ADDRESS, network });
  const ofBitcoin = new StackingClient({ address: BITCOIN_ADDRESS, network });
  const contract = 'ST000000000000000000002AMW42H.pox-4';
  const stack = { privateKey: KEY, poxAddress: BITCOIN_ADDRESS, cycles: 1, burnBlockHeight: 200 };
  const signed = { signerKey: '02'.repeat(33), signerSignature: '00'.repeat(65), maxAmount: 1, authId: 1 };
  const pox = { poxAddress: BITCOIN_ADDRESS };
  const of = { stacker: ADDRESS, privateKey: KEY };
  const commit = { ...pox, ...signed, rewardCycle: 2, privateKey: KEY };
  const pledge = { ...pox, topic: Pox4SignatureTopic.StackStx, rewardCycle: 1, period: 1, maxAmount: 1, authId: 1 };
  const signerKey = privateKeyToPublic(KEY).toString();
  const signerSignature = client.signPoxSignature({ ...pledge, signerPrivateKey: KEY });
  const calls: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['getCoreInfo', () => client.getCoreInfo()],
    ['getPoxInfo', () => client.getPoxInfo()],
    ['getTargetBlockTime', () => client.getTargetBlockTime()],
    ['getAccountStatus', () => client.getAccountStatus()],
    ['getAccountBalance', () => client.getAccountBalance()],
    ['getAccountExtendedBalances', () => client.getAccountExtendedBalances()],
    ['getAccountBalanceLocked', () => client.getAccountBalanceLocked()],
    ['getCycleDuration', () => client.getCycleDuration()],
    ['getRewardsTotalForBtcAddress', () => ofBitcoin.getRewardsTotalForBtcAddress()],
    ['getRewardsForBtcAddress', () => ofBitcoin.getRewardsForBtcAddress()],
    ['getRewardHoldersForBtcAddress', () => ofBitcoin.getRewardHoldersForBtcAddress()],
    ['getRewardSet', () => client.getRewardSet({ contractId: contract, rewardCyleId: 1, rewardSetIndex: 0 })],
    ['getSecondsUntilNextCycle', () => client.getSecondsUntilNextCycle()],
    ['getSecondsUntilStackingDeadline', () => client.getSecondsUntilStackingDeadline()],
    ['getPoxOperationInfo', () => client.getPoxOperationInfo()],
    ['hasMinimumStx', () => client.hasMinimumStx()],
    ['canStack', () => client.canStack({ poxAddress: BITCOIN_ADDRESS, cycles: 1 })],
    ['getStatus', () => client.getStatus()],
    ['getDelegationStatus', () => client.getDelegationStatus()],
    ['getStackingContract', () => client.getStackingContract()],
    ['stack', async () => sent(await client.stack({ ...stack, ...signed, amountMicroStx: 100 }))],
    [
      'delegateStx',
      async () => sent(await client.delegateStx({ privateKey: KEY, amountMicroStx: 1, delegateTo: ADDRESS })),
    ],
    ['revokeDelegateStx', async () => sent(await client.revokeDelegateStx(KEY))],
    [
      'stackExtend',
      async () => sent(await client.stackExtend({ ...signed, ...pox, privateKey: KEY, extendCycles: 1 })),
    ],
    ['stackIncrease', async () => sent(await client.stackIncrease({ ...signed, privateKey: KEY, increaseBy: 1 }))],
    [
      'delegateStackStx',
      async () =>
        sent(await client.delegateStackStx({ ...pox, ...of, amountMicroStx: 1, burnBlockHeight: 200, cycles: 1 })),
    ],
    ['delegateStackExtend', async () => sent(await client.delegateStackExtend({ ...pox, ...of, extendCount: 1 }))],
    ['delegateStackIncrease', async () => sent(await client.delegateStackIncrease({ ...pox, ...of, increaseBy: 1 }))],
    ['stackAggregationCommit', async () => sent(await client.stackAggregationCommit(commit))],
    ['stackAggregationCommitIndexed', async () => sent(await client.stackAggregationCommitIndexed(commit))],
    [
      'stackAggregationIncrease',
      async () => sent(await client.stackAggregationIncrease({ ...commit, rewardIndex: 0 })),
    ],
    [
      'verifySignerKeySignature',
      async () => {
        if (!(await client.verifySignerKeySignature({ ...pledge, signerKey, signerSignature, amount: 1 })))
          throw new Error('the contract does not take the signature');
      },
    ],
  ];
  return calls.map(named('@stacks/stacking 7.4.0'));
}

function bnsCalls(network: StacksNetwork): ClientCall[] {
  const calls: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['canRegisterName', () => canRegisterName({ fullyQualifiedName: 'somebody.id', network })],
    ['getNamespacePrice', () => getNamespacePrice({ namespace: 'id', network })],
    ['getNamePrice', () => getNamePrice({ fullyQualifiedName: 'somebody.id', network })],
  ];
  return calls.map(named('@stacks/bns 7.0.0'));
}

function walletCalls(network: StacksNetwork): ClientCall[] {
  const rootNode = async () => getRootNode(await generateWallet({ secretKey: SEED, password: 'password' }));
  const username = (derivationType: DerivationType.Wallet | DerivationType.Data) => async () =>
    fetchUsernameForAccountByDerivationType({ rootNode: await rootNode(), index: 0, derivationType, network });
  const calls: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['fetchUsernameForAccountByDerivationType (wallet)', username(DerivationType.Wallet)],
    ['fetchUsernameForAccountByDerivationType (data)', username(DerivationType.Data)],
    // By a username it requests the API of mainnet, whatever network it is given.
    ['selectStxDerivation', async () => selectStxDerivation({ rootNode: await rootNode(), index: 0, network })],
  ];
  return calls.map(named('@stacks/wallet-sdk 7.4.0'));
}

function rpcCalls(url: string): ClientCall[] {
  const client = new RPCClient(url);
  const contract = { contractAddress: CONTRACT_ADDRESS, contractName: CONTRACT_NAME };
  const raw = Buffer.from(fromHex(rawOf(transferOf())) ?? []);
  const calls: readonly (readonly [string, () => Promise<unknown>, string?])[] = [
    ['fetchAccount', () => client.fetchAccount(ADDRESS)],
    ['broadcastTX', () => client.broadcastTX(raw)],
    ['fetchContractInterface', () => client.fetchContractInterface(contract)],
    [
      'callReadOnly',
      () => client.callReadOnly({ ...contract, contractName: 'counter-1', functionName: 'get-counter', args: [] }),
    ],
    ['fetchContractSource', () => client.fetchContractSource(contract)],
    [
      'fetchAddressTransactions',
      () => client.fetchAddressTransactions({ address: ADDRESS }),
      'calls /sidecar/v1, which ended in 2020',
    ],
  ];
  return calls.map(named('@stacks/rpc-client 1.0.3'));
}
