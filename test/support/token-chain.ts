import { encodeClarityUint } from '../../src/base/codec/index.ts';
import type { MetadataSource } from '../../src/metadata/source.ts';
import { ChainBuilder } from './chain-builder.ts';
import type { OpenFresh } from './engines.ts';
import { sampleDeploy, sampleMove, samplePrint } from './sample-contracts.ts';
import { SampleMetadata } from './sample-metadata.ts';
import { sftMintHex, tokenContractInterface, uintHex } from './sample-tokens.ts';
import { openTestIndex } from './test-index.ts';
import { accountAddress } from './transaction-builder.ts';

const STANDARDS = { cats: 'sip-009', coin: 'sip-010', semi: 'sip-013', aaa: 'sip-010', zoo: 'sip-010' } as const;

/** Who deployed the contracts of the token chain. */
export const DEPLOYER = accountAddress(9);
const contract = (name: keyof typeof STANDARDS): string => `${DEPLOYER}.${name}`;
export const CATS = contract('cats');
export const COIN = contract('coin');
export const SEMI = contract('semi');
export const AAA = contract('aaa');
export const ZOO = contract('zoo');

export const LARGEST_TOKEN = String(2n ** 128n - 1n);
/** Of cats; of semi there is token 3. */
export const MINTED = ['0', '1', '2', '9007199254740992', '9007199254740993', LARGEST_TOKEN];

/** A document with all that one can have. */
export const FULL_DOCUMENT = {
  name: 'Cat',
  description: 'A cat',
  image: 'ipfs://Qm/1.png',
  attributes: [
    { trait_type: 'strength', value: 105, display_type: 'number' },
    { trait_type: 'powers', value: [1, 2, 4], display_type: '' },
  ],
  properties: {
    collection: 'Cats',
    total: 'ABC',
    one: 1,
    yes: true,
    no: false,
    zero: 0,
    none: null,
    deep: { a: [''] },
  },
  localization: { uri: 'ipfs://Qm/{locale}.json', default: 'en', locales: ['en', 'es'] },
};

/**
 * A chain of one block with token contracts and tokens, and its API. `metadata` writes what was fetched, `requested` has what clients
 * made the API ask for, `coin` is the deployment of that contract.
 * @param source what the API has of a metadata pipeline; one that fetches where it is not given
 */
export async function openTokenChain(
  openFresh: OpenFresh,
  t: Parameters<OpenFresh>[0],
  source: Partial<MetadataSource> = { enabled: true },
) {
  const { database } = await openFresh(t);
  const requested: string[] = [];
  const request = (contractId: string, token: string) => requested.push(`${contractId.split('.')[1]} ${token}`);
  const index = await openTestIndex(database, { metadata: { request, ...source } });
  const chain = new ChainBuilder();
  const deployments = Object.entries(STANDARDS).map(([name, standard]) =>
    sampleDeploy(chain, name, { contractInterface: tokenContractInterface(standard) }),
  );
  const call = chain.call('cats', 'act');
  const events = [
    ...MINTED.map(id => sampleMove(`${CATS}::cat`, uintHex(BigInt(id)), null, DEPLOYER)),
    samplePrint(SEMI, sftMintHex(encodeClarityUint(3), DEPLOYER)),
  ];
  const minting = { ...call, events: events.map(event => ({ txid: call.txId, committed: true, ...event })) };
  const block = chain.block({ txs: [...deployments, minting] });
  await index.deliver(block.delivery);
  const [, coin] = deployments;
  const ask = async (path: string): Promise<unknown[]> => {
    const { status, body } = await index.get(path);
    return [status, body];
  };
  return { index, chain, block, coin, requested, ask, metadata: new SampleMetadata(database) };
}
