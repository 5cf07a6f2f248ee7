import type { Values } from '../../support/operations.ts';
import { keyText } from '../../support/pox-prints.ts';
import type { BuiltTx } from '../../support/transaction-builder.ts';
import {
  ALWAYS_PENDING,
  BUSY,
  BUSY_BOND,
  BUSY_CONTRACT,
  BUSY_CYCLE,
  BUSY_HOLDER,
  BUSY_MANAGER,
  BUSY_POOL,
  BUSY_TENURE,
  CYCLE,
  type GrowingChain,
  LOG_TOPIC,
  QUIET,
  QUIET_COIN,
  QUIET_CONTRACT,
  QUIET_HOLDER,
  QUIET_NFTS,
  QUIET_POOL,
  QUIET_SFTS,
  QUIET_TENURE,
} from '../growing-chain.ts';

/** Nothing has it. */
export const UNKNOWN_HASH = `0x${'12'.repeat(32)}`;

const GOLD = `${QUIET_COIN}::gold`;
const BUSY_COIN = `${BUSY_CONTRACT}::coin`;
const catsOf = (contract: string): string => `${contract}::cat`;

/**
 * Values of parameters: of lists that do not grow with the chain ("quiet"), then of such that do ("busy"). The values at one position belong
 * together.
 */
export function valuesOf(chain: GrowingChain): Values<readonly string[]>[] {
  const { quietBlock: block, quietCall: call, top } = chain;
  const { burn } = block;
  const height = String(block.height);
  const busyId = String(top.txs[3]?.txId);
  const laterBy = (blocks: number): string => String(block.height + blocks);
  return [
    { below: '/extended/v1/address/', values: { tx_id: [call.txId, busyId] } },
    { below: '/extended/v1/microblock/', values: { hash: [UNKNOWN_HASH] } },
    { below: '/extended/v1/burnchain/', values: { address: [QUIET_HOLDER, BUSY_HOLDER] } },
    { below: '/extended/v1/tx/multiple', values: { tx_id: [`${call.txId},${busyId},0x${'34'.repeat(32)}`] } },
    { below: '/extended/v1/tokens/nft/mints', values: { asset_identifier: [QUIET_NFTS, BUSY_CONTRACT].map(catsOf) } },
    { below: '/extended/v1/{pox}/{pool_principal}/', values: { height: [laterBy(30)] } },
    { below: '/extended/v1/{pox}/', values: { principal: [QUIET_POOL, BUSY_POOL] } },
    { below: '/extended/v2/blocks', values: { cursor: [block.indexHash] } },
    { below: '/extended/v2/addresses/', values: { tx_id: [call.txId, busyId], token: [GOLD] } },
    {
      below: '/extended/v2/burn-blocks/',
      values: { height_or_hash: [String(burn.height), burn.hash, 'latest'] },
    },
    {
      below: '/extended/v2/pox/cycles/{cycle_number}/signers/{signer_key}/stackers',
      values: { cycle_number: [String(CYCLE), String(BUSY_CYCLE)], signer_key: [keyText(2)] },
    },
    { below: '/extended/v2/smart-contracts/status', values: { contract_id: [`${QUIET_CONTRACT},${BUSY_CONTRACT}`] } },
    { below: '/extended/v2/smart-contracts/', values: { cursor: [`${laterBy(40)}:2147483647:9:9`] } },
    { below: '/extended/v3/forks/', values: { block_hash: [UNKNOWN_HASH] } },
    { below: '/extended/v3/mempool/transactions/{tx_id}/drop', values: { tx_id: [UNKNOWN_HASH] } },
    { below: '/extended/v3/mempool/', values: { tx_id: [ALWAYS_PENDING.txId] } },
    { below: '/extended/v3/names', values: { principal: [[QUIET, BUSY, BUSY_CONTRACT].join()] } },
    { below: '/extended/v3/principals/{principal}/balance-changes', values: { tx_id: [`${call.txId},${busyId}`] } },
    { below: '/extended/v3/principals/{principal}/transactions/{tx_id}/', values: { cursor: ['1:stx'] } },
    { below: '/extended/v3/principals/{principal}/transactions', values: { cursor: [`${laterBy(40)}:0:0`] } },
    { below: '/extended/v3/principals/{principal}/transfers/', values: { cursor: [`${laterBy(40)}:0:0:0`] } },
    {
      below: '/extended/v3/principals/{principal}/balances/nft',
      values: { asset_identifier: [catsOf(QUIET_NFTS), catsOf(BUSY_CONTRACT)] },
    },
    { below: '/extended/v3/principals/{principal}/mining/', values: { cursor: [`${laterBy(40)}:0`] } },
    {
      below: '/extended/v3/principals/{principal}/movements',
      values: { cursor: [`${laterBy(40)}:0:0:fee`], from: [String(burn.time)], to: [String(burn.time + 3000)] },
    },
    { below: '/extended/v3/principals/', values: { asset_identifier: [BUSY_COIN] } },
    { below: '/extended/v3/smart-contracts/{contract_id}/logs/topics', values: { cursor: ['0'] } },
    {
      below: '/extended/v3/smart-contracts/{contract_id}/logs',
      values: { cursor: [`${laterBy(40)}:0:0:0`], topic: [LOG_TOPIC], principal: [QUIET, BUSY] },
    },
    { below: '/extended/v3/smart-contracts/', values: { include: ['source_code,abi'] } },
    { below: '/extended/v3/staking/bonds/', values: { principal: [QUIET], cursor: ['40:0:0'] } },
    {
      below: '/extended/v3/staking/cycles/{cycle_number}/signers/{principal}/',
      values: { cycle_number: [String(CYCLE)], principal: [BUSY_MANAGER] },
    },
    { below: '/extended/v3/staking/cycles/', values: { cycle_number: [String(CYCLE), 'current'] } },
    { below: '/extended/v3/staking/signers/', values: { principal: [BUSY_MANAGER] } },
    { below: '/extended/v3/tokens/ft/{asset_identifier}/transfers', values: { asset_identifier: [BUSY_COIN] } },
    { below: '/extended/v3/tokens/ft/', values: { asset_identifier: [GOLD] } },
    {
      below: '/extended/v3/tokens/nft/{asset_identifier}/items',
      values: { asset_identifier: [catsOf(BUSY_CONTRACT)], cursor: ['0x01'] },
    },
    { below: '/extended/v3/tokens/nft/', values: { value: ['1'] } },
    {
      below: '/extended/v3/tokens/nft/{asset_identifier}/{value}/',
      values: { cursor: [`${laterBy(40)}:0:0:0`] },
    },
    { below: '/extended/v3/tokens/nft', values: { cursor: [`0:${catsOf(QUIET_NFTS)}`] } },
    { below: '/extended/v3/transactions/batch', values: { tx_id: [`${call.txId},${busyId}`] } },
    { below: '/extended/v3/transactions/', values: { cursor: ['0'] } },
    { below: '/extended/v3/transactions', values: { cursor: [`${laterBy(40)}:0:0`] } },
    { below: '/metadata/v1/nft/', values: { principal: [QUIET_NFTS] } },
    { below: '/metadata/v1/sft/', values: { principal: [QUIET_SFTS] } },
    { below: '/metadata/v1/ft', values: { principal: [QUIET_COIN], name: ['gold'], address: [QUIET_COIN] } },
    { below: '/v1/names/{name}/zonefile/', values: { name: ['q3.id'] } },
    { below: '/v1/names/{name}/subdomains', values: { name: ['q3.id'] } },
    { below: '/v2/prices/', values: { name: ['muneeb.id'] } },
    {
      below: '/',
      values: {
        at: [String(top.height)],
        address: [QUIET, BUSY],
        asset_identifier: [catsOf(QUIET_NFTS)],
        asset_identifiers: [catsOf(BUSY_CONTRACT)],
        block_hash: [block.hash],
        block_height: [height],
        bond_index: [String(BUSY_BOND)],
        burn_block_hash: [burn.hash],
        burn_block_height: [String(burn.height)],
        burnchain_address: [BUSY_HOLDER],
        contract: [`${QUIET_COIN},${QUIET_NFTS}:3,${QUIET_SFTS}:3`],
        contract_id: [QUIET_CONTRACT, BUSY_CONTRACT],
        cycle_number: [String(CYCLE)],
        end_time: [String(burn.time + 3000)],
        from_address: [QUIET, BUSY],
        function_name: ['go'],
        hash: [block.hash],
        height: [height],
        height_or_hash: [height, 'latest'],
        id: [call.txId, block.hash, QUIET, BUSY, QUIET_CONTRACT, UNKNOWN_HASH],
        include_metadata: ['true'],
        name: ['q3.id', 'sub.q3.id'],
        nonce: [String(nonceOf(call))],
        points: ['10'],
        pool_principal: [QUIET_POOL, BUSY_POOL],
        pox: ['pox4'],
        principal: [QUIET, BUSY],
        q: [call.txId, block.hash.slice(0, 12), height, QUIET.slice(0, 9), BUSY_CONTRACT, 'hub', 'c10'],
        signer_key: [keyText(5)],
        start_time: [String(burn.time)],
        tenure_height: [String(QUIET_TENURE), String(BUSY_TENURE)],
        timestamp: [String(burn.time)],
        tld: ['id'],
        to_address: [BUSY],
        token: ['stx', GOLD],
        token_id: ['3'],
        trait_abi: [traitOf('trade'), traitOf('go'), traitOf()],
        tx_id: [call.txId],
        until_block: [laterBy(20)],
        value: ['0x0100000000000000000000000000000001'],
        zoneFileHash: ['01'.repeat(20)],
      },
    },
  ];
}

const traitOf = (...names: string[]): string =>
  JSON.stringify({
    functions: names.map(name => ({ name, access: 'public', args: [{ name: 'a0', type: 'uint128' }] })),
  });

/** It follows version, chain id, kinds of authorisation and signer's hash. */
const nonceOf = (tx: BuiltTx): bigint => Buffer.from(String(tx.body.raw_tx).slice(2), 'hex').readBigUInt64BE(27);
