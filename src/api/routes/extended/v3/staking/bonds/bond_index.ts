import { notFound } from '../../../../../http/errors.ts';
import { principalParam } from '../../../../../http/params.ts';
import { failure } from '../../../../../http/schema.ts';
import type { Api } from '../../../../../http/server.ts';
import { Type } from '../../../../../http/type.ts';
import { PAST_QUERY, readAsOf, readLongAsOf } from '../../../../../paging/as-of.ts';
import { cursorPage, cursorPageOf, cursorPageOfRecords } from '../../../../../paging/cursor-page.ts';
import { requirePrints } from '../../../../../records/pox/signer-queries.ts';
import { BondEventSchemaV3 } from '../../../../../records/staking/bond-event-schema.ts';
import { bondEventsV3, pageOfBondEvents } from '../../../../../records/staking/bond-events.ts';
import { pageOfAllowances, pageOfRegistrations } from '../../../../../records/staking/bond-members.ts';
import { findAllowance } from '../../../../../records/staking/bonds.ts';
import { findPosition, registrationSummaryV3, registrationV3 } from '../../../../../records/staking/positions.ts';
import {
  AllowlistEntrySchemaV3,
  RegistrationSchemaV3,
  RegistrationSummarySchemaV3,
} from '../../../../../records/staking/schema.ts';
import type { ApiContext } from '../../../../context.ts';
import { ADDRESS } from '../../../../examples.ts';
import { eventQuery, readList, readLongList } from '../../list.ts';
import { bondIndex } from '../bonds.ts';

/** The allowlist, the participants and the events of a bond (docs/spec/staking.md#allowlist) */
export function addBondMemberRoutesV3(api: Api, { db, longReads, network, poxCycles }: ApiContext): void {
  const ofBond = Type.Object({ bond_index: bondIndex() });
  const ofStaker = Type.Object({ bond_index: bondIndex(), principal: principalParam('The staker.', ADDRESS) });

  api.get(
    '/extended/v3/staking/bonds/:bond_index/allowlist',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getBondAllowlistEntriesV3',
        summary: 'List the allowlist of a bond',
        description: 'The newest entry first; empty for a bond that is not known.',
        tags: ['Stacking'],
        params: ofBond,
        querystring: eventQuery('7:2147483647:1:0'),
        response: { 200: cursorPageOf(AllowlistEntrySchemaV3, 'BondAllowlistPage') },
      },
    },
    (request, reply) =>
      readLongList(longReads, request, reply, async (queries, budget) => {
        await requirePrints(queries, budget);
        const page = await pageOfAllowances(queries, request.params.bond_index, request.query);
        return cursorPage(page, ({ staker, max_sats }) => ({ staker, max_sats }));
      }),
  );

  api.get(
    '/extended/v3/staking/bonds/:bond_index/allowlist/:principal',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getBondAllowlistEntryV3',
        summary: 'Get the allowance of a staker in a bond',
        tags: ['Stacking'],
        params: ofStaker,
        querystring: PAST_QUERY,
        response: { 200: AllowlistEntrySchemaV3, 404: failure('The staker is not in the allowlist') },
      },
    },
    async request => {
      const { bond_index, principal } = request.params;
      const entry = await readAsOf(db, request, queries => findAllowance(queries, bond_index, principal));
      if (!entry) throw notFound('Bond allowlist entry not found');
      return JSON.stringify(entry);
    },
  );

  api.get(
    '/extended/v3/staking/bonds/:bond_index/registrations',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getBondRegistrationsV3',
        summary: 'List the registrations of a bond',
        description: 'The newest first; empty for a bond that is not known.',
        tags: ['Stacking'],
        params: ofBond,
        querystring: eventQuery('7:2147483647:1:0'),
        response: { 200: cursorPageOf(RegistrationSummarySchemaV3, 'BondRegistrationsPage') },
      },
    },
    (request, reply) =>
      readLongList(longReads, request, reply, async (queries, budget) => {
        await requirePrints(queries, budget);
        const page = await pageOfRegistrations(queries, request.params.bond_index, request.query);
        return cursorPage(page, row => registrationSummaryV3(row));
      }),
  );

  api.get(
    '/extended/v3/staking/bonds/:bond_index/registrations/:principal',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getBondRegistrationV3',
        summary: 'Get the registration of a staker for a bond',
        tags: ['Stacking'],
        params: ofStaker,
        querystring: PAST_QUERY,
        response: { 200: RegistrationSchemaV3, 404: failure('The staker has not registered') },
      },
    },
    async request => {
      const { bond_index, principal } = request.params;
      const position = await readLongAsOf(longReads, request, async (queries, budget) => {
        await requirePrints(queries, budget);
        return findPosition(queries, bond_index, principal);
      });
      if (!position) throw notFound('Bond registration not found');
      return JSON.stringify(registrationV3(position));
    },
  );

  api.get(
    '/extended/v3/staking/bonds/:bond_index/events',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getBondEventsV3',
        summary: 'List what happened to a bond',
        description:
          'The newest first; empty for a bond that is not known. Rewards of STX that are staked alone are in no list.',
        tags: ['Stacking'],
        params: ofBond,
        querystring: eventQuery('7:2147483647:1:0'),
        response: { 200: cursorPageOf(BondEventSchemaV3, 'BondEventsPage') },
      },
    },
    ({ params: { bond_index }, query }, reply) =>
      readList(db, query, reply, async queries => {
        const page = await pageOfBondEvents(queries, bond_index, query);
        return cursorPageOfRecords(page, await bondEventsV3(queries, { network, poxCycles }, bond_index, page.rows));
      }),
  );
}
