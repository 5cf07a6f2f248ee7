import { ALL_TOKEN_EVENTS, TOKEN_CONTRACTS, TOKEN_EVENTS, TOKENS } from '../../../index/token-metadata/tables.ts';
import { type Check, type Finding, wrong } from '../check.ts';
import { tableRows } from '../pages.ts';
import type { SpillingMap } from '../spilling-map.ts';

export const tokenEventsCheck: Check = {
  name: 'events of tokens',
  proves:
    'every token and token contract names the last of its events and notifications, and each contract has its deployment',
  recounts: [ALL_TOKEN_EVENTS],
  async *run({ index, newMap }) {
    const newest = newMap();
    for await (const { seq, contract_id, token, kind } of tableRows(index, TOKEN_EVENTS, [
      'contract_id',
      'token',
      'kind',
    ])) {
      if (kind === 'deploy') await newest.set(`deployment of ${contract_id}`, String(seq));
      if (kind === 'update') await newest.set(`notification of ${subjectOf(contract_id, token)}`, String(seq));
      if (token !== null) await newest.set(`event of ${subjectOf(contract_id, token)}`, String(seq));
    }
    for await (const { contract_id, token, event, notified } of tableRows(index, TOKENS, ['event', 'notified'])) {
      const name = subjectOf(contract_id, token);
      yield* compareNewest(`event of ${name}`, event, newest);
      yield* compareNewest(`notification of ${name}`, notified, newest);
    }
    for await (const { contract_id, notified } of tableRows(index, TOKEN_CONTRACTS, ['notified'])) {
      yield* compareNewest(`notification of ${contract_id}`, notified, newest);
      if ((await newest.take(`deployment of ${contract_id}`)) === undefined)
        yield wrong(`token_events: the deployment of ${contract_id} is missing`);
    }
    for await (const [what, seq] of newest.entries())
      yield wrong(`token_events: number ${seq} is the ${what}, which is not in the index`);
  },
};

/** @param kept position of the newest of these, as its token or contract has it; null where it has none */
async function* compareNewest(what: string, kept: number | null, newest: SpillingMap): AsyncIterable<Finding> {
  const found = await newest.take(what);
  if (found !== (kept === null ? undefined : String(kept)))
    yield wrong(`token_events: the last ${what} is number ${found ?? 'none'}, the index has ${kept ?? 'none'}`);
}

/** The contract where an event is about all of its tokens. */
const subjectOf = (contract: string, token: string | null): string =>
  token === null ? contract : `${token} of ${contract}`;
