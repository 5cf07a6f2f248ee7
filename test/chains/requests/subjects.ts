import fc from '../../support/fast-check.ts';
import { accountAddress } from '../../support/transaction-builder.ts';
import type { BuiltChain } from '../build.ts';
import { NAMES } from '../name-operations.ts';
import { CYCLES, POOLS } from '../pox-operations.ts';
import { ACCOUNTS, CONTRACT_NAMES, contractId, DEPLOYER, FT_ASSET } from '../transactions.ts';

export const ADDRESSES = [...ACCOUNTS, 1, DEPLOYER, 40].map(accountAddress);
export const CONTRACTS = [
  ...CONTRACT_NAMES.map(contractId),
  'ST000000000000000000002AMW42H.bns',
  'ST000000000000000000002AMW42H.pox-4',
];
export const KEYS = [2, 3, 4].map(byte => `0x${Buffer.alloc(33, byte).toString('hex')}`);
export const NOBODY = 'ST3J2GVMMM2R07ZFBJDWTYEYAR8FZH5WKDTFJ9AHA';
export const UNKNOWN = `0x${'ab'.repeat(32)}`;

/** Values of parameters: what a chain has, and now and then what it has not. */
export type Subjects = ReturnType<typeof subjectsOf>;

/** What requests about a chain name. */
export function subjectsOf({ blocks, burns, txIds, sent }: BuiltChain) {
  const hash = fc.constantFrom(UNKNOWN, ...blocks.map(block => block.hash));
  const indexHash = fc.constantFrom(UNKNOWN, ...blocks.map(block => block.indexHash));
  const microblockHash = fc.constantFrom(UNKNOWN, ...sent.flatMap(microblocksOf));
  const burnHash = fc.constantFrom(UNKNOWN, ...burns.map(burn => burn.hash));
  const height = fc.nat(Math.max(0, ...blocks.map(block => block.height)) + 1).map(String);
  const burnHeight = fc.constantFrom('5', ...burns.map(burn => String(burn.height)));
  const txId = fc.constantFrom(UNKNOWN, ...txIds);
  const address = fc.constantFrom(NOBODY, ...ADDRESSES);
  const contract = fc.constantFrom(`${NOBODY}.none`, ...CONTRACTS);
  const principal = fc.oneof(address, contract);
  const blockRef = fc.oneof(height, fc.constant('latest'), indexHash, hash);
  const burnRef = fc.oneof(burnHash, burnHeight, fc.constant('latest'));
  const cursor = fc.tuple(indexHash, fc.nat(5)).map(([hash, index]) => `${hash}:2147483647:${index}`);
  const token = fc.constantFrom('stx', encodeURIComponent(FT_ASSET), 'none::none');
  const times = blocks.map(({ body, burn }) => String(Number(body.block_time ?? burn.time) + (burn.height % 3) - 1));
  const cycle = fc.constantFrom('5', ...CYCLES.map(String));
  const name = fc.constantFrom(
    'none.id',
    'none',
    ...NAMES,
    ...NAMES.flatMap(parent => [`sub0.${parent}`, `sub1.${parent}`, `no.${parent}`]),
  );
  const zoneFileHash = fc.constantFrom('ab'.repeat(20), '0x', ...[1, 2, 3].map(byte => `0${byte}`.repeat(20)));
  const pox = fc.constantFrom('pox2', 'pox4', 'pox4', 'pox4', 'pox5');
  const pool = fc.constantFrom(...POOLS.map(accountAddress));
  return {
    hash,
    indexHash,
    microblockHash,
    burnHash,
    height,
    burnHeight,
    txId,
    address,
    contract,
    principal,
    blockRef,
    burnRef,
    cursor,
    token,
    times,
    cycle,
    name,
    zoneFileHash,
    pox,
    pool,
  };
}

/** The microblocks that an event streams, or that its block accepts. */
const microblocksOf = (event: BuiltChain['sent'][number]): string[] => {
  if (event.kind === 'stream') return event.microblocks.map(({ hash }) => hash);
  const txs = event.kind === 'block' ? (event.block.body.transactions as { microblock_hash: string | null }[]) : [];
  return txs.map(({ microblock_hash }) => microblock_hash).filter(hash => hash !== null);
};
