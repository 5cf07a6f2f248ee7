import { type Entry, operationsOf } from '../../src/api/http/openapi/document.ts';
import { resolveBitcoinAddress } from '../../src/api/records/burnchain/bitcoin-address.ts';
import { apiDocument, urlOf } from '../../test/support/operations.ts';
import type { Entities } from '../entities.ts';
import { namesOf, type Scenario, scenario } from './scenario.ts';

/** Figures measured by hand, for `production` of a scenario. */
const PRODUCTION: Readonly<Record<string, number>> = {
  getContractByIdV1: 5009,
  getRawTransactionByIdV1: 4375,
  getAddressTransactionEventsV2: 2500,
};

/**
 * Operations that are not measured: a constant, responses of the node, a stream (it has no end), a POST that reads the same as a GET, and second paths of
 * metadata.
 */
const NOT_MEASURED = /^(fetchFeeRateV1|getNamePriceV2|getNamespacePriceV2|streamEventsV3|findContractsByTraitV1)$/;
const isMeasured = ({ path, operation }: Entry): boolean =>
  !NOT_MEASURED.test(operation.operationId) && !/^\/metadata(?!\/v1)/.test(path);

type Row = Readonly<Record<string, string>>;

/** Values of parameters that belong together, for the operations whose path begins with a text. */
interface Rows {
  readonly below: string;
  readonly rows: readonly Row[];
}

/** A scenario for every published operation that has none, from rows with all its required parameters. */
export async function scenariosByParameters(entities: Entities, written: readonly Scenario[]): Promise<Scenario[]> {
  const known = new Set(written.map(({ name }) => name.split(/[ ,]/)[0]));
  const rows = rowsOf(entities);
  return operationsOf(await apiDocument())
    .filter(entry => !known.has(entry.operation.operationId) && isMeasured(entry))
    .map(entry => scenario(entry.operation.operationId, pathsOf(entry, rows), PRODUCTION[entry.operation.operationId]));
}

function pathsOf({ path, operation }: Entry, groups: readonly Rows[]): string[] {
  const { parameters = [] } = operation;
  const names = new Set(parameters.map(({ name }) => name));
  const required = parameters.filter(parameter => parameter.required).map(({ name }) => name);
  const rows = required.length === 0 ? [{ limit: LIMIT }] : rowsFor(path, required, groups);
  const valuesIn = (row: Row): Row => Object.fromEntries(Object.entries(row).filter(([name]) => names.has(name)));
  return [...new Set(rows.map(row => urlOf(path, valuesIn(row))))];
}

/** The rows of the first group with all required parameters. A group without entities in this index counts as having them. */
function rowsFor(path: string, required: readonly string[], groups: readonly Rows[]): readonly Row[] {
  const found = groups.find(
    ({ below, rows: [first] }) =>
      path.startsWith(below) && required.every(name => first === undefined || name in first),
  );
  if (!found)
    throw new Error(`no rows with ${required.join(', ')} for ${path}: add them to bench/scenarios/by-parameters.ts`);
  return found.rows;
}

const LIMIT = '20';

/** A token of the sample chain; another chain has no holders of it. */
const SAMPLE_TOKEN = 'ST2P5B3BN0DMZ6DSN0XXTAZ739E575BMS5HHNG6TD.token-a::tokena';

/** Groups of rows; the first group whose path an operation begins with counts. */
function rowsOf(entities: Entities): Rows[] {
  const { blocks, bonds, contracts, fts, mints, names, nfts, pending, poxEvents, principals, sfts } = entities;
  const limit = LIMIT;
  const busy = namesOf(principals.busy).map(name => ({ principal: name, limit }));
  const quiet = namesOf(principals.quiet).map(name => ({ principal: name, limit }));
  const rowOfBlock = (block: Entities['blocks'][number]): Row => ({
    ...{ height_or_hash: String(block.height), height: String(block.height), limit },
    ...{ hash: block.hash, block_hash: block.hash },
    ...{ burn_block_hash: block.burnHash, burn_block_height: String(block.burnHeight) },
  });
  const transactions = entities.transactions.map(({ id, sender, burnTime }) => ({
    ...{ tx_id: id, principal: sender, address: sender, q: id.slice(0, 14), limit },
    timestamp: String(burnTime + 86_400),
  }));
  const cycles = entities.cycles.flatMap(({ cycle, signers }) =>
    signers.map(key => ({ cycle_number: String(cycle), signer_key: key, limit })),
  );
  const metadata = (tokens: Entities['nfts']) =>
    tokens.map(({ contract_id, token }) => ({ principal: contract_id, token_id: token }));
  const assets = (value: string) => namesOf(mints.busy).map(asset => ({ asset_identifier: asset, value }));
  // Simulated chains also pay to some that are no addresses.
  const rewarded = namesOf(entities.rewarded.quiet).filter(name => resolveBitcoinAddress(name) !== undefined);
  return [
    { below: '/extended/v1/burnchain/', rows: rewarded.map(address => ({ address, limit })) },
    { below: '/extended/v1/microblock/{hash}', rows: entities.microblocks.map(hash => ({ hash })) },
    {
      below: '/extended/v1/address/{principal}/mempool',
      rows: pending.map(({ sender }) => ({ principal: sender, limit })),
    },
    // The first token, as most are numbered.
    { below: '/extended/v1/tokens/nft/history', rows: assets('0x0100000000000000000000000000000001') },
    { below: '/extended/v1/tokens/nft/', rows: busy.map(({ principal }) => ({ principal })) },
    {
      below: '/extended/v1/{pox}/',
      rows: poxEvents.map(({ txId, stacker }) => ({ pox: 'pox4', tx_id: txId, principal: stacker })),
    },
    {
      below: '/extended/v2/burn-blocks/{height_or_hash}/pox-transactions',
      rows: entities.poxTxHeights.map(height => ({ height_or_hash: String(height) })),
    },
    {
      below: '/extended/v2/burn-blocks/',
      rows: blocks.map(({ burnHash }) => ({ height_or_hash: burnHash })),
    },
    {
      below: '/extended/v2/addresses/{burnchain_address}/',
      rows: namesOf(entities.payees.quiet).map(address => ({ burnchain_address: address })),
    },
    { below: '/extended/v2/addresses/{principal}/balances/stx', rows: quiet },
    { below: '/extended/v2/addresses/{principal}/', rows: busy.map(({ principal }) => ({ principal, token: 'stx' })) },
    { below: '/extended/v2/block-tenures/', rows: entities.tenures.map(height => ({ tenure_height: String(height) })) },
    { below: '/extended/v2/pox/cycles/', rows: cycles },
    { below: '/extended/v3/blocks/', rows: blocks.filter(block => block.transactions > 0).map(rowOfBlock) },
    { below: '/extended/v3/forks/', rows: entities.orphans.map(block => ({ block_hash: block })) },
    {
      below: '/extended/v3/mempool/transactions/{tx_id}/drop',
      rows: entities.dropped.map(id => ({ tx_id: id })),
    },
    { below: '/extended/v3/mempool/transactions/', rows: pending.map(({ id }) => ({ tx_id: id })) },
    { below: '/extended/v3/principals/{principal}/transactions/', rows: transactions },
    { below: '/extended/v3/principals/{principal}/transfers/', rows: busy },
    {
      below: '/extended/v3/principals/{principal}/staking',
      rows: [...bonds.map(({ staker }) => staker), ...namesOf(principals.busy)].map(principal => ({ principal })),
    },
    {
      below: '/extended/v3/principals/',
      rows: busy.map(({ principal }) => ({ principal, asset_identifier: `${busy[0]?.principal}.none::none` })),
    },
    {
      below: '/extended/v3/staking/bonds/',
      rows: bonds.map(({ bond, staker }) => ({ bond_index: String(bond), principal: staker })),
    },
    { below: '/extended/v3/staking/signers/{principal}', rows: entities.managers.map(principal => ({ principal })) },
    {
      below: '/extended/v3/staking/cycles/{cycle_number}/signers/{principal}/',
      rows: entities.managers.flatMap(principal =>
        entities.cycles.map(({ cycle }) => ({ cycle_number: String(cycle), principal, limit })),
      ),
    },
    { below: '/extended/v3/staking/', rows: cycles },
    { below: '/extended/v3/tokens/ft/', rows: [{ asset_identifier: SAMPLE_TOKEN }] },
    { below: '/extended/v3/tokens/nft/', rows: assets('1') },
    { below: '/extended/v3/search', rows: transactions.map(({ q }) => ({ q })) },
    { below: '/extended/v3/transactions/', rows: transactions.map(({ tx_id }) => ({ tx_id })) },
    { below: '/metadata/v1/nft/', rows: metadata(nfts) },
    { below: '/metadata/v1/sft/', rows: metadata(sfts) },
    { below: '/metadata/v1/ft/', rows: fts.map(({ contract_id }) => ({ principal: contract_id })) },
    { below: '/v1/names/{name}/zonefile/', rows: entities.zoneFiles },
    { below: '/v1/names/', rows: names.map(name => ({ name })) },
    {
      below: '/v1/namespaces/',
      rows: [...new Set(names.map(name => name.slice(name.lastIndexOf('.') + 1)))].map(tld => ({ tld })),
    },
    { below: '/extended/v1/info/', rows: [{ network: 'mainnet' }] },
    { below: '/', rows: quiet },
    { below: '/', rows: blocks.map(rowOfBlock) },
    { below: '/', rows: transactions },
    { below: '/', rows: contracts.map(id => ({ contract_id: id })) },
  ];
}
