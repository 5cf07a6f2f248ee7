import { toHex } from '../../../base/lib/hex.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { bns2Facts } from '../../../index/names/bns-2.ts';
import { BNS2_NAMES, LISTED_NAMES, NAMES, type SUBDOMAINS, ZONE_FILES } from '../../../index/names/tables.ts';
import { subdomainHash, subdomainRecords, zoneFileText } from '../../../index/names/zone-file.ts';
import { type Check, wrong } from '../check.ts';
import { tableRows } from '../pages.ts';
import { recordedTransactions } from './sources.ts';

export const bns2NamesCheck: Check = {
  name: 'names of version 2',
  proves: 'the name of every id is that of its first print, and its holder the one that its last NFT event names',
  async *run({ index, network, newMap }) {
    const names = newMap();
    const owners = newMap();
    for await (const { events } of recordedTransactions(index))
      for (const fact of bns2Facts({ events }, network)) {
        if (fact.kind === 'holder') await owners.set(fact.id, fact.owner ?? '');
        else if (fact.kind === 'name' && (await names.get(fact.id)) === undefined) await names.set(fact.id, fact.name);
      }
    for await (const { id, name, owner } of tableRows(index, BNS2_NAMES, ['name', 'owner'])) {
      const [expectedName, expectedOwner] = [await names.take(id), await owners.take(id)];
      if ((name ?? undefined) !== expectedName || (owner ?? '') !== (expectedOwner ?? ''))
        yield wrong(`names_v2: ${id} is ${name} of ${owner}, its events say ${expectedName} of ${expectedOwner}`);
    }
    for (const map of [names, owners])
      for await (const [id] of map.entries()) yield wrong(`names_v2: ${id} is missing`);
  },
};

export const listedNamesCheck: Check = {
  name: 'listed names',
  proves: 'the list of names has those of both versions, each in its namespace, and whether it has a holder',
  async *run({ index, newMap }) {
    const v1 = newMap();
    const v2 = newMap();
    for await (const { name, status } of tableRows(index, NAMES, ['name', 'status']))
      if (status !== null) await v1.set(name, status === 'name-revoke' ? '0' : '1');
    for await (const { name, owner } of tableRows(index, BNS2_NAMES, ['name', 'owner']))
      if (name !== null) await v2.set(name, String(Number((await v2.get(name)) ?? 0) + (owner === null ? 0 : 1)));
    for await (const row of tableRows(index, LISTED_NAMES, ['v1', 'v2'])) {
      const { namespace, name } = row;
      const [inBns1, inBns2] = [await v1.take(name), await v2.take(name)];
      const isKnown = inBns1 !== undefined || inBns2 !== undefined;
      if (!isKnown || String(row.v1) !== (inBns1 ?? '0') || (row.v2 === null ? undefined : String(row.v2)) !== inBns2)
        yield wrong(
          `listed_names: ${name} has ${row.v1} and ${row.v2}, the names say ${inBns1 ?? 0} and ${inBns2 ?? null}`,
        );
      if (!name.endsWith(`.${namespace}`)) yield wrong(`listed_names: ${name} is in the namespace ${namespace}`);
    }
    for (const map of [v1, v2])
      for await (const [name] of map.entries()) yield wrong(`listed_names: ${name} is missing`);
  },
};

type Stated = RowOf<typeof SUBDOMAINS, 'subdomain' | 'owner' | 'zonefile_hash'>;

export const zoneFilesCheck: Check = {
  name: 'zone files',
  proves: 'subdomains are those that the zone files state, with the owners and zone files that they have there',

  async *run({ index }) {
    let stated = 0;
    for await (const file of tableRows(index, ZONE_FILES, ['hash', 'height', 'subdomains', 'content'], 50)) {
      if (file.subdomains === 0) continue;
      const records = subdomainRecords(zoneFileText(file.content));
      stated += records.length;
      const place = [file.token, file.index_block_hash, file.tx_id, file.attachment_index];
      const rows = await index.all<Stated>(
        `SELECT subdomain, owner, zonefile_hash FROM subdomains
          WHERE parent = ? AND index_block_hash = ? AND tx_id = ? AND attachment_index = ?`,
        place,
      );
      const found = new Map(rows.map(row => [row.subdomain, row]));
      const isRight = records.every(({ label, owner, zoneFile }) =>
        rows.some(
          row =>
            row.subdomain.startsWith(`${label}.`) &&
            row.owner === owner &&
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
