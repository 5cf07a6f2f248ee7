import { toHex } from '../src/lib/hex.ts';
import type { Database, Queries } from '../src/store/database.ts';

/** A page that is measured: what it is called, and paths to ask for, in random order. */
export interface Scenario {
  readonly name: string;
  /** The production API's requests a second on the same kind of page, measured with the same archive (2 cores, PostgreSQL beside it). */
  readonly production?: number;
  readonly paths: readonly string[];
}

const SAMPLE = 500;

/** Every endpoint on the entities of this index: random ones, busy and quiet, first and deep pages. */
export async function scenarios(db: Database): Promise<Scenario[]> {
  return db.read(async queries => {
    const txCount = await count(queries, 'txs');
    const step = Math.max(1, Math.floor(txCount / SAMPLE));
    const heights = await column<number>(queries, 'SELECT seq + 1 AS v FROM blocks');
    const blocks = sample(heights);
    const hashes = await column<Uint8Array>(queries, 'SELECT index_block_hash AS v FROM known_blocks LIMIT 500');
    const burnHashes = await column<Uint8Array>(
      queries,
      'SELECT DISTINCT burn_block_hash AS v FROM known_blocks LIMIT 500',
    );
    const txIds = sample(await column<Uint8Array>(queries, `SELECT tx_id AS v FROM txs WHERE seq % ${step} = 0`)).map(
      toHex,
    );
    const sent = await queries.all<{ tx_id: Uint8Array; sender: string }>(
      `SELECT t.tx_id, l.name AS sender FROM txs t JOIN lists l ON l.kind = 3 AND l.id = t.sender WHERE t.seq % ${step} = 0`,
    );
    const busy = await lists(queries, 20, 'DESC', 5);
    const quiet = await lists(queries, 20, 'ASC', SAMPLE);
    const senders = await lists(queries, 3, 'DESC', 100);
    const contracts = await lists(queries, 5, 'DESC', 100);
    const functions = await lists(queries, 6, 'DESC', 20);
    const logs = await lists(queries, 32, 'DESC', 100);
    const mints = await lists(queries, 40, 'DESC', 100);
    const pools = await lists(queries, 52, 'DESC', 20);
    const cycles = await column<number>(queries, 'SELECT cycle AS v FROM pox_cycles');
    const signers = await column<Uint8Array>(queries, 'SELECT DISTINCT signing_key AS v FROM pox_signers LIMIT 50');
    const rewarded = await lists(queries, 61, 'DESC', 100);
    const deployed = await column<string>(queries, 'SELECT contract_id AS v FROM contracts LIMIT 500');
    const pending = await column<Uint8Array>(queries, 'SELECT tx_id AS v FROM pending_txs LIMIT 200');
    const busyHead = busy[0];
    const to = (path: string) => (name: string) => path.replace('*', encodeURIComponent(name));
    const deep = (total: number) => Array.from({ length: 100 }, (_, i) => Math.floor((total * (50 + i / 4)) / 100));
    const history = (principal: string) => `/extended/v2/addresses/${principal}/transactions`;
    const all: Scenario[] = [
      {
        name: 'E2 transactions of a block',
        production: 513,
        paths: blocks.map(h => `/extended/v2/blocks/${h}/transactions?limit=20`),
      },
      { name: 'E4 block by hash', production: 3550, paths: hashes.map(h => `/extended/v2/blocks/${toHex(h)}`) },
      {
        name: 'E3 block by burn block hash',
        paths: burnHashes.map(h => `/extended/v1/block/by_burn_block_hash/${toHex(h)}`),
      },
      { name: 'E4 block', production: 3550, paths: blocks.map(h => `/extended/v2/blocks/${h}`) },
      { name: 'E6 latest blocks', production: 1150, paths: ['/extended/v2/blocks?limit=20'] },
      { name: 'E16 burn block', paths: burnHashes.map(h => `/extended/v2/burn-blocks/${toHex(h)}`) },
      { name: 'E18 newest', production: 352, paths: ['/extended/v1/tx?limit=20'] },
      { name: 'E18 deep offset', production: 9, paths: deep(txCount).map(o => `/extended/v1/tx?limit=20&offset=${o}`) },
      {
        name: 'E18 by sender',
        production: 361,
        paths: senders.map(l => to('/extended/v1/tx?limit=20&from_address=*')(l.name)),
      },
      {
        name: 'E18 by contract',
        production: 397,
        paths: contracts.map(l => to('/extended/v1/tx?limit=20&contract_id=*')(l.name)),
      },
      { name: 'E18 by function', paths: functions.map(l => to('/extended/v1/tx?limit=20&function_name=*')(l.name)) },
      {
        name: 'E18 by type',
        production: 111,
        paths: ['token_transfer', 'contract_call', 'coinbase', 'smart_contract'].map(
          t => `/extended/v1/tx?limit=20&type=${t}`,
        ),
      },
      { name: 'E18 by fee', paths: ['/extended/v1/tx?limit=20&sort_by=fee'] },
      {
        name: 'E18 sender and contract',
        paths: senders
          .slice(0, 10)
          .flatMap(s =>
            contracts.slice(0, 10).map(c => `/extended/v1/tx?limit=20&from_address=${s.name}&contract_id=${c.name}`),
          ),
      },
      { name: 'E14 busy address, first page', production: 31, paths: busy.map(l => `${history(l.name)}?limit=20`) },
      {
        name: 'E14 busy address, deep page',
        production: 12,
        paths: busyHead ? deep(busyHead.length).map(o => `${history(busyHead.name)}?limit=20&offset=${o}`) : [],
      },
      { name: 'E14 quiet address', production: 272, paths: quiet.map(l => `${history(l.name)}?limit=20`) },
      { name: 'E11 search transaction', production: 2890, paths: txIds.map(id => `/extended/v1/search/${id}`) },
      {
        name: 'E11 search address with metadata',
        production: 708,
        paths: quiet.map(l => `/extended/v1/search/${l.name}?include_metadata=true`),
      },
      {
        name: 'E23 events of a transaction',
        production: 2500,
        paths: sent.map(({ tx_id, sender }) => `${history(sender)}/${toHex(tx_id)}/events?limit=20`),
      },
      { name: 'E20 raw transaction', production: 4375, paths: txIds.map(id => `/extended/v1/tx/${id}/raw`) },
      { name: 'E17 contract', production: 5009, paths: deployed.map(id => `/extended/v1/contract/${id}`) },
      {
        name: 'E22 logs of a contract',
        production: 4740,
        paths: logs.map(l => `/extended/v1/contract/${l.name}/events`),
      },
      {
        name: 'E10 mints',
        production: 2461,
        paths: mints.map(l => to('/extended/v1/tokens/nft/mints?asset_identifier=*')(l.name)),
      },
      { name: 'E13 reward slots', production: 2639, paths: ['/extended/v1/burnchain/reward_slot_holders?limit=20'] },
      {
        name: 'E9 reward slots of an address',
        paths: rewarded.map(l => `/extended/v1/burnchain/reward_slot_holders/${l.name}?limit=20`),
      },
      { name: 'E5 fee priorities', paths: ['/extended/v2/mempool/fees'] },
      { name: 'E19 mempool', paths: ['/extended/v1/tx/mempool?limit=20'] },
      { name: 'E7 signers of a cycle', paths: cycles.map(c => `/extended/v2/pox/cycles/${c}/signers?limit=20`) },
      {
        name: 'E15 signer of a cycle',
        paths: cycles.flatMap(c => signers.map(s => `/extended/v2/pox/cycles/${c}/signers/${toHex(s)}`)),
      },
      {
        name: 'E8 delegations of a pool',
        paths: pools.map(l => `/extended/v1/pox4/${l.name.split('|')[0]}/delegations?limit=20`),
      },
      {
        name: 'E12 contracts by trait',
        paths: [`/extended/v1/contract/by_trait?limit=20&trait_abi=${encodeURIComponent(TRANSFER_TRAIT)}`],
      },
      { name: 'E21 names of an address', paths: quiet.map(l => `/v1/addresses/stacks/${l.name}`) },
      { name: 'pending by id (search)', paths: pending.map(id => `/extended/v1/search/${toHex(id)}`) },
    ];
    return all.filter(({ paths }) => paths.length > 0);
  });
}
const TRANSFER_TRAIT =
  '[{"name":"get-balance","access":"read_only","args":[{"name":"who","type":"principal"}],"outputs":{"type":{"response":{"ok":"uint128","error":"none"}}}}]';

async function column<V>(queries: Queries, sql: string): Promise<V[]> {
  return (await queries.all<{ v: never }>(sql)).map(row => row.v);
}

async function count(queries: Queries, table: string): Promise<number> {
  return (await queries.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`))?.n ?? 0;
}

/** The longest or shortest lists of a kind. */
function lists(
  queries: Queries,
  kind: number,
  order: 'ASC' | 'DESC',
  most: number,
): Promise<{ name: string; length: number }[]> {
  return queries.all(`SELECT name, length FROM lists WHERE kind = ? ORDER BY length ${order}, name LIMIT ${most}`, [
    kind,
  ]);
}

/** Up to SAMPLE of them, spread evenly. */
const sample = <V>(values: readonly V[]): V[] =>
  values.length <= SAMPLE
    ? [...values]
    : Array.from({ length: SAMPLE }, (_, i) => values[Math.floor((i * values.length) / SAMPLE)] as V);
