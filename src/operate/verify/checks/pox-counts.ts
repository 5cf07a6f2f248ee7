import type { RowOf } from '../../../base/store/table.ts';
import type { POX_STACKER_COUNTS } from '../../../index/pox/tables.ts';
import { type Check, wrong } from '../check.ts';

type Count = RowOf<typeof POX_STACKER_COUNTS, 'role' | 'represented_by' | 'stackers'>;

export const poxCountsCheck: Check = {
  name: 'stackers',
  proves: 'the numbers of stackers of each signer and operator are those of the stackers, in every cycle',

  async *run({ index }) {
    const cycles = await index.all<RowOf<typeof POX_STACKER_COUNTS, 'cycle'>>(
      'SELECT cycle FROM pox_stackers UNION SELECT cycle FROM pox_stacker_counts ORDER BY cycle',
    );
    for (const { cycle } of cycles) {
      const counted = await index.all<Count>(
        `SELECT role, represented_by, count(*) AS stackers FROM pox_stackers WHERE cycle = ?
          GROUP BY role, represented_by`,
        [cycle],
      );
      const stored = await index.all<Count>(
        'SELECT role, represented_by, stackers FROM pox_stacker_counts WHERE cycle = ?',
        [cycle],
      );
      const expected = new Map(counted.map(count => [nameOf(count), count.stackers]));
      for (const count of stored) {
        const stackers = expected.get(nameOf(count)) ?? 0;
        expected.delete(nameOf(count));
        if (stackers !== count.stackers)
          yield wrong(
            `pox_stacker_counts: cycle ${cycle}, ${nameOf(count)}: ${count.stackers}, a recount gives ${stackers}`,
          );
      }
      for (const [name, stackers] of expected)
        yield wrong(`pox_stacker_counts: cycle ${cycle}, ${name} is missing, a recount gives ${stackers}`);
    }
  },
};

const nameOf = ({ role, represented_by: by }: Count): string => `role ${role} "${by}"`;
