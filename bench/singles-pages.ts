import { toHex } from '../src/base/lib/hex.ts';
import type { Queries, Row } from '../src/base/store/database.ts';
import { LOGS_BY_CONTRACT } from '../src/index/contracts/tables.ts';
import { MINTS_BY_ASSET } from '../src/index/nft/tables.ts';
import { TXS_BY_SENDER } from '../src/index/transactions/tables.ts';
import type { ListKind } from '../src/ingest/indexer/tables.ts';

/** A page, and the paths to its records. */
export interface Single {
  readonly name: string;
  readonly paths: readonly string[];
}

/** The pages of one record, in an order in which neighbours do not follow each other. @param most records of a page */
export async function readSingles(queries: Queries, most = 10_000): Promise<Single[]> {
  const blocks = await queries.all<{ height: number; hash: Uint8Array; burn: number }>(
    `SELECT k.height, k.index_block_hash AS hash, k.burn_block_height AS burn
       FROM blocks b JOIN known_blocks k ON k.arrival = b.known ORDER BY b.seq`,
  );
  const transactions = (
    await queries.all<{ id: Uint8Array; sender: string }>(
      'SELECT t.tx_id AS id, l.name AS sender FROM txs t JOIN lists l ON l.id = t.sender AND l.kind = ? WHERE t.height > 0 ORDER BY t.seq',
      [TXS_BY_SENDER.code],
    )
  ).map(({ id, sender }) => ({ id: toHex(id), sender }));
  const contracts = await queries.all<Row & { id: string }>('SELECT contract_id AS id FROM contracts ORDER BY 1');
  const single = (name: string, paths: readonly string[]): Single => ({
    name,
    paths: spread([...new Set(paths)], most),
  });
  return [
    single(
      'getBurnBlockV2',
      blocks.map(({ burn }) => `/extended/v2/burn-blocks/${burn}`),
    ),
    single(
      'getRawTransactionByIdV1',
      transactions.map(({ id }) => `/extended/v1/tx/${id}/raw`),
    ),
    single(
      'getContractByIdV1',
      contracts.map(({ id }) => `/extended/v1/contract/${id}`),
    ),
    single(
      'getBlockV2',
      blocks.map(({ height }) => `/extended/v2/blocks/${height}`),
    ),
    single(
      'getBlockV2 by hash',
      blocks.map(({ hash }) => `/extended/v2/blocks/${toHex(hash)}`),
    ),
    single(
      'getContractEventsByIdV1',
      await pagesOf(queries, LOGS_BY_CONTRACT, contract => `/extended/v1/contract/${contract}/events?`),
    ),
    single(
      'getAddressTransactionEventsV2',
      transactions.map(({ id, sender }) => `/extended/v2/addresses/${sender}/transactions/${id}/events`),
    ),
    single(
      'getNftMintsV1',
      await pagesOf(
        queries,
        MINTS_BY_ASSET,
        asset => `/extended/v1/tokens/nft/mints?asset_identifier=${encodeURIComponent(asset)}&`,
      ),
    ),
    single(
      'getTransactionByIdV1',
      transactions.map(({ id }) => `/extended/v1/tx/${id}`),
    ),
  ];
}

/** Every page of 20 of all lists of a kind. @param path ends before the parameter `offset` */
async function pagesOf(queries: Queries, kind: ListKind, path: (name: string) => string): Promise<string[]> {
  const lists = await queries.all<{ name: string; length: number }>(
    'SELECT name, length FROM lists WHERE kind = ? ORDER BY name',
    [kind.code],
  );
  return lists.flatMap(({ name, length }) =>
    Array.from({ length: Math.ceil(length / 20) }, (_, i) => `${path(name)}offset=${20 * i}`),
  );
}

/** As many as wanted, evenly spread, in an order in which neighbours do not follow each other. */
function spread(paths: readonly string[], most: number): string[] {
  const chosen = paths.filter(
    (_, i) => Math.floor((i * most) / paths.length) !== Math.floor(((i - 1) * most) / paths.length),
  );
  const stride = strideOf(chosen.length);
  return chosen.map((_, i) => chosen[(i * stride) % chosen.length] ?? '');
}

/** A number near the golden section of a length without a divisor in common, so that its multiples visit every place. */
function strideOf(length: number): number {
  const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));
  let stride = Math.max(1, Math.round(length * 0.618));
  while (divisor(length, stride) > 1) stride++;
  return stride;
}
