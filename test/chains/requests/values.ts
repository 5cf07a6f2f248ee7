import { encodeClarityUint } from '../../../src/base/codec/index.ts';
import { toHex } from '../../../src/base/lib/hex.ts';
import fc from '../../support/fast-check.ts';
import type { Values } from '../../support/operations.ts';
import { accountAddress } from '../../support/transaction-builder.ts';
import { BONDS } from '../bond-operations.ts';
import { type BuiltChain, SLOT_HOLDERS } from '../build.ts';
import { NAMES } from '../name-operations.ts';
import { CYCLES, POOLS } from '../pox-operations.ts';
import { MANAGERS } from '../staking-operations.ts';
import {
  ACCOUNTS,
  CONTRACT_NAMES,
  contractId,
  DEPLOYER,
  FT_ASSET,
  FUNCTION_NAMES,
  LOG_TOPICS,
  NFT_ASSET,
} from '../transactions.ts';
import { type Happening, mentioned } from './mentions.ts';

export const ADDRESSES = [...ACCOUNTS, 1, DEPLOYER, 40].map(accountAddress);
export const CONTRACTS = [
  ...CONTRACT_NAMES.map(contractId),
  'ST000000000000000000002AMW42H.bns',
  'ST000000000000000000002AMW42H.pox-4',
];
export const KEYS = [2, 3, 4].map(byte => `0x${Buffer.alloc(33, byte).toString('hex')}`);
const NOBODY = 'ST3J2GVMMM2R07ZFBJDWTYEYAR8FZH5WKDTFJ9AHA';
const UNKNOWN = `0x${'ab'.repeat(32)}`;
/** More than any number of the chain. */
const HUGE = '99999999999999999999';

type Text = fc.Arbitrary<string>;

/** What requests about a chain name: what the chain has, and now and then what it has not. */
export interface ChainValues {
  readonly byName: readonly Values<Text>[];
  readonly byFormat: Readonly<Record<string, Text>>;
  /** Every form of a cursor; a parameter has those that fit its published pattern. */
  readonly cursors: readonly Text[];
}

/** @param happening if given, what it names, as far as it names any */
export function valuesOf({ blocks, burns, txIds, sent }: BuiltChain, happening?: Happening): ChainValues {
  const oneOf = (...values: readonly string[]): Text => fc.constantFrom(...mentioned(values, happening));
  const hash = oneOf(UNKNOWN, ...blocks.map(block => block.hash));
  const indexHash = oneOf(UNKNOWN, ...blocks.map(block => block.indexHash));
  const burnHash = fc.constantFrom(UNKNOWN, ...burns.map(burn => burn.hash));
  const height = fc.nat(Math.max(0, ...blocks.map(block => block.height)) + 1).map(String);
  const burnHeight = fc.constantFrom('5', ...burns.map(burn => String(burn.height)));
  const txId = oneOf(UNKNOWN, ...txIds);
  const address = oneOf(NOBODY, ...ADDRESSES);
  const contract = oneOf(`${NOBODY}.none`, ...CONTRACTS);
  const principal = happening === undefined ? fc.oneof(address, contract) : oneOf(...ADDRESSES, ...CONTRACTS);
  const token = oneOf('stx', FT_ASSET, 'none::none');
  const times = blocks.map(({ body, burn }) => String(Number(body.block_time ?? burn.time) + (burn.height % 3) - 1));
  const key = oneOf(`0x${'99'.repeat(33)}`, ...KEYS);
  const cycle = oneOf('5', ...CYCLES.map(String));
  const nft = fc.nat(6).map(id => toHex(encodeClarityUint(id)));
  const pool = oneOf(...POOLS.map(accountAddress));
  const parents = NAMES.flatMap(parent => [`sub0.${parent}`, `sub1.${parent}`, `no.${parent}`]);
  const names = fc.oneof(
    fc.constantFrom(FT_ASSET, NFT_ASSET, ...NAMES, ...FUNCTION_NAMES),
    fc
      .tuple(fc.constantFrom(FT_ASSET, NFT_ASSET, ...CONTRACTS), fc.nat(6))
      .map(([id, at]) => id.split('.')[1]?.slice(at) ?? ''),
  );
  const day = fc.oneof(
    fc.constantFrom('0', '2024-01-01', '2999-12-31', ...times),
    fc
      .constantFrom(...(times.length > 0 ? times : ['0']))
      .map(seconds => new Date(Number(seconds) * 1000).toISOString().slice(0, 10)),
  );
  const manager = oneOf(...MANAGERS);
  const staker = oneOf(...ACCOUNTS.map(accountAddress));
  return {
    byName: [
      {
        below: '/extended/v3/staking/cycles/{cycle_number}/signers/{principal}/',
        values: { cursor: fc.tuple(fc.constantFrom('0', '1', '40', '999999999999'), address).map(joined) },
      },
      { below: '/extended/v1/microblock/', values: { hash: fc.constantFrom(UNKNOWN, ...sent.flatMap(microblocksOf)) } },
      { below: '/extended/v1/burnchain/', values: { address: fc.constantFrom(...SLOT_HOLDERS) } },
      { below: '/extended/v1/stx_supply', values: { height: fc.nat(30).map(String) } },
      {
        below: '/extended/v1/{pox}/{pool_principal}/',
        values: { pox: fc.constantFrom('pox2', 'pox3', 'pox4', 'pox4') },
      },
      { below: '/extended/v1/{pox}/', values: { principal: fc.oneof(address, pool) } },
      {
        below: '/extended/v2/burn-blocks/',
        values: { height_or_hash: fc.oneof(burnHash, burnHeight, fc.constant('latest')) },
      },
      // Of an index block hash, 2147483647 for no microblock, and a number in the block.
      {
        below: '/extended/v2/addresses/',
        values: { cursor: fc.tuple(indexHash, fc.nat(5)).map(([of, index]) => `${of}:2147483647:${index}`) },
      },
      { below: '/extended/v3/forks/', values: { block_hash: fc.oneof(indexHash, hash) } },
      {
        below: '/extended/v3/staking/cycles/',
        values: {
          cycle_number: fc.oneof(fc.constantFrom('current', 'previous', 'next', '4', '6', '0007', '999999999'), cycle),
          principal: fc.oneof({ weight: 3, arbitrary: manager }, principal),
        },
      },
      {
        below: '/extended/v3/staking/signers/',
        values: { principal: fc.oneof(manager, principal) },
      },
      { below: '/extended/v3/staking/bonds/', values: { principal: staker } },
      {
        below: '/extended/v3/tokens/nft/{asset_identifier}/items',
        values: { cursor: nft },
      },
      { below: '/extended/v3/tokens/nft/', values: { value: fc.oneof(fc.nat(6).map(String), nft) } },
      {
        below: '/extended/v3/tokens/nft/{asset_identifier}/{value}/',
        values: { cursor: fc.oneof(...eventCursors(height)) },
      },
      {
        below: '/extended/v3/tokens/nft',
        values: { cursor: fc.nat(3).map(owners => `${owners}:${NFT_ASSET}`) },
      },
      { below: '/extended/v3/tokens/ft/', values: { asset_identifier: fc.constant(FT_ASSET) } },
      {
        below: '/extended/v3/principals/{principal}/balances/nft',
        values: { asset_identifier: fc.constantFrom(NFT_ASSET, FT_ASSET) },
      },
      {
        below: '/extended/v3/principals/{principal}/transfers/ft/',
        values: { asset_identifier: fc.constant(FT_ASSET) },
      },
      { below: '/extended/v3/principals/{principal}/movements', values: { from: day, to: day } },
      { below: '/extended/v3/principals/', values: { asset_identifier: token } },
      {
        below: '/',
        values: {
          address: principal,
          asset_identifier: fc.constant(NFT_ASSET),
          asset_identifiers: fc.constantFrom(NFT_ASSET, `${NFT_ASSET}-none`),
          block_hash: hash,
          block_height: height.filter(digits => digits !== '0'),
          bond_index: oneOf(...BONDS.map(String), '7'),
          burn_block_hash: burnHash,
          burn_block_height: burnHeight,
          burnchain_address: fc.constantFrom(...SLOT_HOLDERS),
          contract_id: contract,
          cycle_number: cycle,
          function_name: fc.constantFrom(...FUNCTION_NAMES, 'fund'),
          hash,
          height,
          height_or_hash: fc.oneof(height, fc.constant('latest'), indexHash, hash),
          id: fc.oneof(txId, hash, address, contract),
          name: oneOf('none.id', 'none', ...NAMES, ...parents),
          pool_principal: pool,
          pox: fc.constantFrom('pox2', 'pox3', 'pox4', 'pox4', 'pox4', 'pox5'),
          q: beginningOf(
            fc.oneof(
              txId,
              hash,
              indexHash,
              burnHash,
              height,
              burnHeight,
              principal,
              names,
              fc.constantFrom(...SLOT_HOLDERS),
            ),
          ),
          signer_key: key,
          tenure_height: height,
          timestamp: fc.constantFrom('0', '9999999999', ...times),
          tld: fc.constantFrom('id', 'none'),
          token,
          topic: oneOf(...LOG_TOPICS, 'burn', 'none'),
          trait_abi: fc.constant(TRAIT),
          tx_id: txId,
          until_block: fc.oneof(height, hash),
          value: nft,
          zoneFileHash: oneOf('ab'.repeat(20), '0x', ...[0, 1, 2, 3, 4, 5, 6].map(byte => `0${byte}`.repeat(20))),
        },
      },
    ],
    byFormat: {
      'stacks-address': address,
      'stacks-asset': fc.constantFrom(FT_ASSET, NFT_ASSET),
      'stacks-contract': contract,
      'stacks-principal': principal,
    },
    cursors: [
      fc.constantFrom('0', '1', '2', '3', '4', '6', '12', HUGE),
      ...eventCursors(height),
      indexHash,
      key,
      staker,
      fc.oneof(manager, principal),
      fc.tuple(fc.constantFrom('-5', '0', '1', '40', '999999999999'), address).map(joined),
      fc.tuple(fc.oneof(height, fc.constantFrom('1700000000', HUGE)), fc.oneof(indexHash, txId)).map(joined),
      fc
        .tuple(fc.constantFrom('0', '1', '5', '7', '9'.repeat(400)), fc.constantFrom('a', 'stx', 'z', FT_ASSET))
        .map(joined),
      fc.tuple(height, fc.constantFrom('0', '1', '7')).map(joined),
      fc.tuple(height, fc.constant('reward'), fc.nat(2)).map(joined),
      fc.tuple(height, fc.constantFrom(0, 2147483647), fc.nat(4), fc.constantFrom('fee', '0', '1', '7')).map(joined),
      fc.constantFrom('0x:a', `${toHex(encodeClarityUint(3))}:${NFT_ASSET}`, '0x:z'),
    ],
  };
}

const joined = (parts: readonly (string | number)[]): string => parts.join(':');

/** Heights with a microblock sequence, and up to three further numbers: places of transactions and of their events. */
const eventCursors = (height: Text): Text[] =>
  [1, 2, 3].map(numbers =>
    fc
      .tuple(height, fc.constantFrom(0, 1, 2147483647), fc.array(fc.nat(4), { minLength: numbers, maxLength: numbers }))
      .map(([of, sequence, rest]) => joined([of, sequence, ...rest])),
  );

/** All of a text, or the part of it that was typed so far. */
const beginningOf = (text: Text): Text =>
  fc
    .tuple(text, fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.integer({ min: 5, max: 12 })))
    .map(([all, end]) => all.slice(0, end));

const TRAIT = JSON.stringify({
  functions: [
    { name: 'ping', access: 'public', args: [], outputs: { type: { response: { ok: 'bool', error: 'uint128' } } } },
  ],
});

/** The microblocks that an event streams, or that its block accepts. */
const microblocksOf = (event: BuiltChain['sent'][number]): string[] => {
  if (event.kind === 'stream') return event.microblocks.map(({ hash }) => hash);
  const txs = event.kind === 'block' ? (event.block.body.transactions as { microblock_hash: string | null }[]) : [];
  return txs.map(({ microblock_hash }) => microblock_hash).filter(hash => hash !== null);
};
