import { toHex } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import type { OuterRowOf, RowOf } from '../../../base/store/table.ts';
import { contractRecord, sourceName } from '../../../index/contracts/deployment.ts';
import { searchTextsOf } from '../../../index/contracts/search-texts.ts';
import { readStoredDeployment, readStoredInterface, readStoredShape } from '../../../index/contracts/stored.ts';
import {
  ALL_DEPLOYED,
  CONTRACT_TEXTS,
  type CONTRACTS,
  CONTRACTS_BY_FUNCTION,
  CONTRACTS_BY_SOURCE,
  type DEPLOYMENTS,
  type FUNCTION_SHAPES,
} from '../../../index/contracts/tables.ts';
import { functionShapes } from '../../../index/contracts/trait.ts';
import { tokenInterface } from '../../../index/token-metadata/standard.ts';
import { type TOKEN_CONTRACTS, TOKEN_CONTRACTS_BY_STANDARD } from '../../../index/token-metadata/tables.ts';
import { readTransaction } from '../../../index/transactions/stored.ts';
import { type TXS, TXS_BY_TYPE } from '../../../index/transactions/tables.ts';
import type { KNOWN_BLOCKS } from '../../../ingest/indexer/known-blocks.ts';
import { type Check, type Context, type Finding, wrong } from '../check.ts';
import { pagedRows } from '../pages.ts';
import { type Recount, withRecount } from '../recount.ts';
import { type SpillingMap, withSpillingMap } from '../spilling-map.ts';

const RECOUNTED = [
  ALL_DEPLOYED,
  CONTRACTS_BY_FUNCTION,
  CONTRACTS_BY_SOURCE,
  CONTRACT_TEXTS,
  TOKEN_CONTRACTS_BY_STANDARD,
];

export const contractsCheck: Check = {
  name: 'contracts',
  proves:
    'every deployment is that of its transaction; contracts, their lists by function, source, standard and text, and what is known of token contracts, follow from the canonical deployments',
  recounts: RECOUNTED,
  run: context =>
    withRecount(lists =>
      withSpillingMap(contracts =>
        withSpillingMap(tokens => withSpillingMap(shapes => compare({ lists, contracts, tokens, shapes }, context))),
      ),
    ),
};

interface Expected {
  readonly lists: Recount;
  /** By contract: transaction, block and interface. */
  readonly contracts: SpillingMap;
  /** By token contract: facts of its deployment. */
  readonly tokens: SpillingMap;
  /** Functions by key. */
  readonly shapes: SpillingMap;
}

async function* compare(expected: Expected, { index, state }: Context): AsyncIterable<Finding> {
  const { lists, contracts, tokens, shapes } = expected;
  let deployed = 0;
  let found = 0;
  for await (const { tx_id, height, record, index_block_hash } of deployingTransactions(index)) {
    const { txId, sender, payload, status } = readTransaction(record);
    if (payload.type !== 'smart_contract') continue; // reported by the check of totals
    const { contractId, source, clarityVersion } = payload;
    // While only a microblock has a deployment, it has no block.
    const block = height > (state.tip?.height ?? 0) ? EMPTY : (index_block_hash ?? EMPTY);
    const kept = await index.get<RowOf<typeof DEPLOYMENTS, 'height' | 'has_interface' | 'record'>>(
      'SELECT height, has_interface, record FROM deployments WHERE contract_id = ? AND block = ? AND tx_id = ?',
      [contractId, block, tx_id],
    );
    if (!kept) {
      yield wrong(`deployments: that of ${contractId} by ${txId} is missing`);
      continue;
    }
    const interfaceText = readStoredDeployment(kept.record).abi;
    const facts = { contractId, txId, source, clarityVersion, interfaceText, contractInterface: null };
    if (
      kept.height !== height ||
      kept.has_interface !== (interfaceText === null ? 0 : 1) ||
      kept.record !== JSON.stringify(contractRecord(facts, height))
    )
      yield wrong(`deployments: that of ${contractId} by ${txId} is not what its transaction has`);
    const before = await contracts.get(contractId);
    const isDeployed = before !== undefined && readContract(before).interface !== null;
    if (interfaceText === null && isDeployed) continue;
    if (interfaceText !== null && !isDeployed) {
      const newest = 0 - found++;
      for (const { part, text, place } of searchTextsOf(contractId))
        await lists.add(CONTRACT_TEXTS, part, { text, place, newest });
    }
    await contracts.set(contractId, contractText({ tx_id, block, interface: interfaceText }));
    if (interfaceText === null) continue;
    const json = readStoredInterface(interfaceText);
    const token = status === 'success' ? tokenInterface(json) : undefined;
    if (token && (await tokens.get(contractId)) === undefined) {
      const { standard, ftAsset: ft_asset, nftAsset: nft_asset } = token;
      await tokens.set(contractId, tokenText({ standard, ft_asset, nft_asset, tx_id, sender }));
      await lists.add(TOKEN_CONTRACTS_BY_STANDARD, standard, { contract_id: contractId });
    }
    const functions = functionShapes(json);
    if (!functions) continue;
    const contract = deployed++;
    await lists.add(ALL_DEPLOYED, '', {
      height,
      contract_id: contractId,
      tx_id,
      shapes: Buffer.concat(functions.map(({ key }) => key)),
    });
    await lists.add(CONTRACTS_BY_SOURCE, sourceName(source), { contract });
    for (const { name, key, json: shape } of functions) {
      await lists.add(CONTRACTS_BY_FUNCTION, name, { contract });
      await shapes.set(toHex(key), shape);
    }
  }
  yield* lists.compare(RECOUNTED, index);
  yield* compareContracts(contracts, index);
  yield* compareTokens(tokens, index);
  yield* compareShapes(shapes, index);
}

const EMPTY = new Uint8Array();

type DeployingRow = RowOf<typeof TXS, 'tx_id' | 'height' | 'record'> &
  OuterRowOf<typeof KNOWN_BLOCKS, 'index_block_hash'>;

/** The transactions that deploy contracts, in chain order, with the blocks that have them. */
const deployingTransactions = (index: Queries): AsyncIterable<DeployingRow> =>
  pagedRows<DeployingRow>(index, {
    sql: `SELECT e.seq, t.tx_id, t.height, t.record, k.index_block_hash
      FROM (SELECT id FROM lists WHERE kind = ${TXS_BY_TYPE.code} AND name = 'smart_contract') AS l
        JOIN list_txs e ON e.list = l.id
        JOIN txs t ON t.seq = e.tx
        LEFT JOIN blocks b ON b.seq = t.height - 1
        LEFT JOIN known_blocks k ON k.arrival = b.known`,
    key: ['seq'],
    alias: 'e',
    pageSize: 100,
  });

type Contract = Omit<RowOf<typeof CONTRACTS>, 'contract_id'>;

const contractText = ({ tx_id, block, interface: text }: Contract): string =>
  JSON.stringify({ tx_id: toHex(tx_id), block: toHex(block), interface: text });

const readContract = (text: string): Pick<Contract, 'interface'> => JSON.parse(text);

async function* compareContracts(contracts: SpillingMap, index: Queries): AsyncIterable<Finding> {
  for await (const row of pagedRows<RowOf<typeof CONTRACTS>>(index, {
    sql: 'SELECT contract_id, tx_id, interface, block FROM contracts',
    key: ['contract_id'],
    pageSize: 100,
  }))
    if ((await contracts.take(row.contract_id)) !== contractText(row))
      yield wrong(`contracts: ${row.contract_id} is not what its deployments make of it`);
  for await (const [contract] of contracts.entries()) yield wrong(`contracts: ${contract} is missing`);
}

type Token = RowOf<typeof TOKEN_CONTRACTS, 'standard' | 'ft_asset' | 'nft_asset' | 'tx_id' | 'sender'>;

const tokenText = ({ standard, ft_asset, nft_asset, tx_id, sender }: Token): string =>
  JSON.stringify([standard, ft_asset, nft_asset, toHex(tx_id), sender]);

async function* compareTokens(tokens: SpillingMap, index: Queries): AsyncIterable<Finding> {
  for await (const row of pagedRows<Token & RowOf<typeof TOKEN_CONTRACTS, 'contract_id'>>(index, {
    sql: 'SELECT contract_id, standard, ft_asset, nft_asset, tx_id, sender FROM token_contracts',
    key: ['contract_id'],
  })) {
    const expected = await tokens.take(row.contract_id);
    if (expected !== tokenText(row))
      yield wrong(`token_contracts: ${row.contract_id} is ${tokenText(row)}, its deployment gives ${expected}`);
  }
  for await (const [contract] of tokens.entries()) yield wrong(`token_contracts: ${contract} is missing`);
}

/** Undo does not remove shapes: there may be shapes of functions that no canonical contract has. */
async function* compareShapes(shapes: SpillingMap, index: Queries): AsyncIterable<Finding> {
  for await (const { key, json } of pagedRows<RowOf<typeof FUNCTION_SHAPES>>(index, {
    sql: 'SELECT key, json FROM function_shapes',
    key: ['key'],
  })) {
    const [shape] = functionShapes({ functions: [readStoredShape(json)] }) ?? [];
    if (!shape || toHex(shape.key) !== toHex(key))
      yield wrong(`function_shapes: ${toHex(key)} is not the key of ${json}`);
    await shapes.delete(toHex(key));
  }
  for await (const [key] of shapes.entries()) yield wrong(`function_shapes: ${key} is missing`);
}
