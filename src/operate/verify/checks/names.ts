import { toHex } from '../../../base/lib/hex.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { decodeTuple } from '../../../index/names/facts.ts';
import { prepareNames } from '../../../index/names/projection.ts';
import {
  BNS2_NAMES,
  BNS2_NAMESPACES,
  LISTED_NAMES,
  NAME_PARTS,
  NAMES,
  NAMESPACES,
  PAST_BNS2_NAMES,
  PAST_LISTED_NAMES,
  PAST_NAMES,
  type SUBDOMAINS,
  ZONE_FILES,
} from '../../../index/names/tables.ts';
import { nameToken } from '../../../index/names/token.ts';
import { subdomainHash, subdomainRecords, zoneFileText } from '../../../index/names/zone-file.ts';
import { type Check, type Context, type Finding, wrong } from '../check.ts';
import { compareRows, LoadedRows, MadeRows } from '../made-rows.ts';
import { tableRows } from '../pages.ts';
import { type Recount, withRecount } from '../recount.ts';
import { type SpillingMap, withSpillingMap } from '../spilling-map.ts';
import { recordedTransactions } from './sources.ts';

const VERSIONS = [PAST_NAMES, PAST_BNS2_NAMES, PAST_LISTED_NAMES];

export const namesCheck: Check = {
  name: 'names',
  proves:
    'names and namespaces of both versions of BNS, the list of all names, and the parts by which they are found, are what their events make of them, and were at each height',
  recounts: VERSIONS,
  run: context => withSpillingMap(made => withRecount(past => compare(made, past, context))),
};

type Transactions = Parameters<typeof prepareNames>[0];

async function* compare(made: SpillingMap, past: Recount, context: Context): AsyncIterable<Finding> {
  const kept = new MadeRows(made, past, VERSIONS);
  const rows = new LoadedRows(kept);
  for await (const { height, txs } of unitsOf(context)) {
    kept.atHeight(height);
    const write = prepareNames(txs, height, rows, context.network);
    await rows.loaded();
    await write?.();
    await rows.flush();
  }
  yield* compareRows(
    [NAMES, BNS2_NAMES, NAMESPACES, BNS2_NAMESPACES, LISTED_NAMES, NAME_PARTS],
    made,
    context,
    'its events',
  );
  yield* past.compare(VERSIONS, context.index);
}

/** The transactions of each block, and of each microblock on the tip: an expiry follows from the state of a name before them. */
async function* unitsOf({
  index,
  state,
}: Context): AsyncIterable<{ readonly height: number; readonly txs: Transactions }> {
  let unit: { readonly name: string; readonly height: number; readonly txs: Transactions[number][] } | undefined;
  for await (const { tx, events } of recordedTransactions(index)) {
    const { blockHeight: height, microblock, payload } = tx;
    const name = height > (state.tip?.height ?? 0) ? microblock.hash : String(height);
    if (unit && unit.name !== name) yield unit;
    if (unit?.name !== name) unit = { name, height, txs: [] };
    const call = payload.type === 'contract_call' ? payload : null;
    unit.txs.push({ txId: tx.txId, status: tx.status, sender: tx.sender, events, call });
  }
  if (unit) yield unit;
}

type Stated = RowOf<typeof SUBDOMAINS, 'subdomain' | 'owner' | 'height' | 'zonefile_hash'>;

export const zoneFilesCheck: Check = {
  name: 'zone files',
  proves: 'subdomains are those that the zone files state, with the owners and zone files that they have there',

  async *run({ index }) {
    let stated = 0;
    for await (const file of tableRows(index, ZONE_FILES, ['hash', 'height', 'subdomains', 'content'], 50)) {
      if (file.subdomains === 0) continue;
      const records = subdomainRecords(zoneFileText(file.content));
      stated += records.length;
      const tuple = decodeTuple(toHex(file.token));
      const name = tuple && nameToken(tuple)?.text;
      const place = [file.token, file.index_block_hash, file.tx_id, file.attachment_index];
      const rows = await index.all<Stated>(
        `SELECT subdomain, owner, height, zonefile_hash FROM subdomains
          WHERE parent = ? AND index_block_hash = ? AND tx_id = ? AND attachment_index = ?`,
        place,
      );
      const found = new Map(rows.map(row => [row.subdomain, row]));
      const isRight = records.every(({ label, owner, zoneFile }) =>
        rows.some(
          row =>
            row.subdomain === `${label}.${name}` &&
            row.owner === owner &&
            row.height === file.height &&
            Buffer.compare(row.zonefile_hash, subdomainHash(zoneFile)) === 0,
        ),
      );
      if (!isRight || found.size !== records.length || file.subdomains !== records.length)
        yield wrong(`subdomains: not those that the zone file of ${toHex(file.tx_id)} states`);
    }
    const { n } = (await index.get<{ n: number }>('SELECT count(*) AS n FROM subdomains')) ?? { n: 0 };
    if (n !== stated) yield wrong(`subdomains: ${n} rows, zone files state ${stated}`);
  },
};
