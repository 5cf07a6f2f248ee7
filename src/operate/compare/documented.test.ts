import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { exchangeOf, PAIRS, pair } from '../../../test/support/documented-differences.ts';
import { DOCUMENTED, type DocumentedRow } from './documented.ts';
import type { ComparedResponse } from './server.ts';
import { verdictOn } from './verdict.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/compatibility.md'), 'utf8');

/** The rows of the tables below a heading; without one, of all tables. */
function rowsBelow(heading?: string) {
  const sections = PAGE.split(/^## /m).filter(text => heading === undefined || text.startsWith(`${heading}\n`));
  return sections.flatMap(text =>
    [...text.matchAll(/^\| (?!where \|)(.*) \|$/gm)].map(([, row = '']) => ({ where: row.split(' | ')[0] ?? '', row })),
  );
}

const isRow = (wanted: DocumentedRow, { where, row }: { readonly where: string; readonly row: string }): boolean =>
  typeof wanted === 'string' ? where === wanted : where === wanted[0] && row.includes(wanted[1]);

/** Rows that no request of `compare` meets, or that it must not tolerate, by reason. */
const WITHOUT_ENTRY: Readonly<Record<string, readonly DocumentedRow[]>> = {
  'compare sends no such request': [
    'block ids in paths',
    [`getTransactionListV1`, '`type[]=`'],
    ['getTransactionListV1', '`function_name=`'],
    'integers in paths and queries',
    'getTransactionsBatchV3, getPrincipalBalanceChangesV3',
    'wherever a principal is checked',
    ['getNftMintsV1', 'without `::`'],
    'getNamesOwnedByAddressV1, getContractEventsByIdV1, getAddressTransactionsV2, getAddressTransactionEventsV2, getContractByIdV1',
    ['wherever a request names a principal, search included', ''],
    'integers beyond 2^53',
    'path segments',
    '304',
    '431, 408, malformed URLs',
    'preflight',
    'fetchFeeRateV1: bodies',
    '`/v2`: bodies',
    '`/v2`: the node fails',
    '`/v2`: `Authorization`, paths for peers and miners',
    '`/v2/prices`',
    '`/v2`: equal requests at one tip',
    '`/v3`',
    '`/extended/v3`: cursors',
    '`/extended/v3`: block ids',
    'getPoxCycleV2',
    '`/extended/v1/pox2_events/...`, `pox3_events`',
    'getBurnchainRewardSlotHoldersByAddressV1',
    ['getNftMintsV1', 'NUL in the identifier'],
    ['getContractsByTraitV1', 'malformed `trait_abi`'],
    'getAccountStxBalanceV1, getAccountBalanceV1',
    'getSmartContractsStatusV2',
    'getFilteredEventsV1',
    'faucets',
    'faucet for BTC',
    ['searchV3', 'all that match are compared'],
  ],
  'texts of errors are not compared': [
    'other words in place of a block',
    'wherever a request names a principal',
    'parameters that break their schema',
    '5xx',
  ],
  'values of ETags, and codings, are not compared': [
    ['getBurnBlockPoxTransactionsV2, getBurnchainAddressPoxTransactionsV2', 'ETag of the tip'],
    'compression',
  ],
  'the mempool of each node is not compared, but for transactions that both have': [
    'getPrincipalMempoolTransactionsV3',
    'getPrincipalNoncesV3',
    'getMempoolFeePrioritiesV2, getMempoolTransactionListV1',
    'getMempoolTransactionListV1, getMempoolFeePrioritiesV2',
    ['getMempoolTransactionListV1', '`total` leaves out'],
    ['getMempoolTransactionListV1', 'outbid transactions'],
    'mempool',
    ['getAccountNoncesV1', 'all nonces up to'],
    'getMempoolTransactionStatsV1',
    'getDroppedMempoolTransactionListV1',
    'pending transactions age',
  ],
  'a difference of the tips is undecided': ['every response about the chain', '`GET /extended`'],
  'the other server lost or kept data over a fork, which is reported': [
    'staking after a fork',
    'getPrincipalBalancesNftV3, getPrincipalBalancesStxV3 after forks',
    'getBurnchainRewardSlotHoldersByAddressV1, getBurnchainRewardSlotHoldersV1',
    'getContractByIdV1',
    'getNftHoldingsV1',
    'getNamesOwnedByAddressV1, custody',
  ],
  'both do the same, or the other one has no such route': [
    'PoX 5',
    'routes of names',
    'getMicroblockListV1, getMicroblockByHashV1',
    'routes that upstream removed or no longer maintains: microblocks (removed in 9.3), names and namespaces, prices of names',
  ],
};

test('each documented difference has an entry for compare, or a reason why it has none', () => {
  const known = [...DOCUMENTED.flatMap(({ rows }) => rows), ...Object.values(WITHOUT_ENTRY).flat()];
  const without = rowsBelow('What we do better').filter(row => !known.some(wanted => isRow(wanted, row)));
  assert.deepEqual(
    without.map(({ row }) => row),
    [],
    'rows of docs/compatibility.md that documented.ts does not know',
  );
});

test('each entry, and each reason for none, names one row of the page', () => {
  const rows = rowsBelow();
  const known = [...DOCUMENTED.flatMap(entry => entry.rows), ...Object.values(WITHOUT_ENTRY).flat()];
  const wrong = known.map(wanted => [wanted, rows.filter(row => isRow(wanted, row)).length]);
  assert.deepEqual(
    wrong.filter(([, count]) => count !== 1),
    [],
  );
});

test('what the page documents is tolerated, of other software only, and by the row that documents it', () => {
  for (const [row, one] of PAIRS) {
    const exchange = exchangeOf(one);
    const { differences, tolerated } = verdictOn(exchange, { strict: false });
    assert.deepEqual(differences, [], `${row}: ${JSON.stringify(one)}`);
    assert.ok(tolerated.includes(`documented: ${row}`), `${row}, not ${tolerated}`);
    assert.ok(verdictOn(exchange, { strict: true }).differences.length > 0, `${row}, of this software`);
  }
  const tried = new Set(PAIRS.map(([row]) => row));
  const first = DOCUMENTED.map(({ rows: [row] }) => (typeof row === 'string' ? row : row?.[0]));
  assert.deepEqual(
    first.filter(row => row !== undefined && !tried.has(row)),
    [],
    'entries that no pair shows',
  );
});

test('what it does not document is found beside each of them: another status, another header, another route', () => {
  for (const [row, one] of PAIRS) {
    const exchange = exchangeOf(one);
    const found = (theirs: ComparedResponse, operationId = exchange.operationId) =>
      verdictOn({ ...exchange, operationId, theirs }, { strict: false }).differences.map(({ at }) => at);
    assert.deepEqual(found({ ...exchange.theirs, status: 418 }), ['status'], row);
    if (exchange.ours.status !== exchange.theirs.status) continue;
    const html = { ...exchange.theirs, headers: { ...exchange.theirs.headers, 'content-type': 'text/html' } };
    assert.deepEqual(found(html), ['header content-type'], row);
  }
  const listed = { total: 3, results: [{ address: 'ST1' }] };
  const planted = { total: 3, results: [{ address: 'ST1', planted: 1 }] };
  const exchange = exchangeOf(pair('getNftMintsV1', '/extended/v1/tokens/nft/mints', listed, planted));
  assert.deepEqual(
    verdictOn(exchange, { strict: false }).differences.map(({ at }) => at),
    ['results[0].planted'],
  );
});
