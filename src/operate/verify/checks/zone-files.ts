import { toHex } from '../../../base/lib/hex.ts';
import type { RowOf } from '../../../base/store/table.ts';
import type { SUBDOMAINS, ZONE_FILES } from '../../../index/names/tables.ts';
import { subdomainHash, subdomainRecords, zoneFileText } from '../../../index/names/zone-file.ts';
import { type Check, wrong } from '../check.ts';
import { pagedRows } from '../pages.ts';

type Stated = RowOf<typeof SUBDOMAINS, 'subdomain' | 'owner' | 'zonefile_hash'>;

export const zoneFilesCheck: Check = {
  name: 'zone files',
  proves: 'subdomains are those that the zone files state, with the owners and zone files that they have there',

  async *run({ index }) {
    let stated = 0;
    for await (const file of pagedRows<RowOf<typeof ZONE_FILES>>(index, {
      sql: 'SELECT token, index_block_hash, tx_id, attachment_index, hash, height, subdomains, content FROM zone_files',
      key: ['token', 'index_block_hash', 'tx_id', 'attachment_index'],
      pageSize: 50,
    })) {
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
