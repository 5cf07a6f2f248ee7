import type { Database } from '../src/base/store/database.ts';
import { countTransactions } from '../src/index/transactions/positions.ts';
import { readEntities } from './entities.ts';
import type { Place } from './place.ts';
import { accountScenarios } from './scenarios/accounts.ts';
import { blockScenarios } from './scenarios/blocks.ts';
import { scenariosByParameters } from './scenarios/by-parameters.ts';
import { contractScenarios } from './scenarios/contracts.ts';
import type { Scenario } from './scenarios/scenario.ts';
import { stackingAndMempoolScenarios } from './scenarios/stacking-and-mempool.ts';
import { transactionScenarios } from './scenarios/transactions.ts';

/**
 * Scenarios for every route with the entities of this index: quiet and busy ones, first and deep pages, hot (one URL repeatedly) and cold (no URL twice). A
 * scenario without an entity in this index has no paths.
 */
export async function scenarios(db: Database): Promise<Scenario[]> {
  const entities = await readEntities(db);
  const written = [
    ...contractScenarios(entities),
    ...blockScenarios(entities),
    ...stackingAndMempoolScenarios(entities),
    ...accountScenarios(entities),
    ...transactionScenarios(entities),
  ];
  return [...written, ...(await scenariosByParameters(entities, written))].toSorted((a, b) =>
    routeOf(a) < routeOf(b) ? -1 : routeOf(a) > routeOf(b) ? 1 : 0,
  );
}

/** The scenarios of a place, and how many transactions its chain has. */
export async function questionsOf(place: Place): Promise<{ pages: Scenario[]; transactions: number }> {
  const { indexDb, close } = await place.open();
  const pages = await scenarios(indexDb);
  const transactions = await indexDb.read(countTransactions);
  await close();
  return { pages, transactions };
}

const routeOf = ({ name }: Scenario): string => /^\w+/.exec(name)?.[0] ?? '';

/** One scenario for each way of reading, for benchmarks that send the same requests under several conditions. */
const SHORT = [
  'getBlockV2',
  'getBlocksV2 latest, hot',
  'getAddressTransactionsV2 quiet address',
  'getAddressTransactionsV2 busy address, deep page',
  'getTransactionListV1 newest, hot',
  'getTransactionListV1 newest, cold',
  'getTransactionListV1 sender, quiet',
  'searchByIdV1 address, metadata',
  'getRawTransactionByIdV1',
];

export const shortSet = (all: readonly Scenario[]): Scenario[] =>
  all.filter(({ name, paths }) => SHORT.includes(name) && paths.length > 0);
