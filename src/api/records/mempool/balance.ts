import type { Queries } from '../../../base/store/database.ts';
import { addressBalance, balanceAtTip, withPending } from '../addresses/balance.ts';
import type { Moment } from '../blocks/moment.ts';
import { pendingSums } from './queries.ts';

/** The balance of a principal at a moment, and what all that is pending now will make of it. */
export const balanceWithPending = async (queries: Queries, principal: string, moment: Moment) =>
  withPending(...(await Promise.all([addressBalance(queries, principal, moment), pendingSums(queries, principal)])));

/** The balance of a principal at the tip, and what all that is pending now will make of it. */
export const balanceAtTipWithPending = async (queries: Queries, principal: string) =>
  withPending(...(await Promise.all([balanceAtTip(queries, principal), pendingSums(queries, principal)])));
