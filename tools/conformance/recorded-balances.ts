import { decodeTransaction } from '../../src/base/codec/index.ts';
import { fromHex } from '../../src/base/lib/hex.ts';
import { accountOf, lockVersionOf } from '../../test/model/accounts.ts';
import { worldOf } from '../../test/model/world-of.ts';
import type { Json, Recorded } from '../../test/support/recording.ts';
import type { Correction, Evidence } from './evidence.ts';

type Fields = { readonly [key: string]: Json };

const BALANCE = /^\/extended\/(?:v1\/address|v2\/addresses)\/([^/?]+)\/(stx|balances|balances\/stx)(\?|$)/;

/** Applies a change to the STX of a principal, wherever the response has them. */
function changeStx(
  { path, status, body, ...rest }: Recorded,
  change: (stx: Fields, principal: string) => Fields | undefined,
): Recorded | undefined {
  const [, principal, what] = BALANCE.exec(path) ?? [];
  if (principal === undefined || status !== 200) return undefined;
  const stx = what === 'balances' ? ((body as Fields).stx as Fields) : (body as Fields);
  const changed = change(stx, principal);
  if (!changed) return undefined;
  return {
    ...rest,
    path,
    status,
    body: (what === 'balances' ? { ...(body as Fields), stx: changed } : changed) as Json,
  };
}

/**
 * After forks, sums over pending transactions count such as are mined again, and such whose nonce another has used. Which, the recording does not
 * show: the naive model says what is pending. Only principals that a lost block has transactions of are concerned, and those of
 * transactions that are wrongly shown as replaced.
 */
const minedInPendingSums: Correction = {
  reason: 'with other transactions in pending sums',
  correct: (recorded, evidence) =>
    changeStx(recorded, (stx, principal) => {
      if (stx.estimated_balance === undefined || !lostPartiesOf(evidence).has(principal)) return undefined;
      const { estimated_balance, pending_balance_inbound, pending_balance_outbound, balance } = accountOf(
        worldOf(evidence.deliveries),
        principal,
      );
      if (stx.balance !== balance || stx.estimated_balance === estimated_balance) return undefined;
      return { ...stx, estimated_balance, pending_balance_inbound, pending_balance_outbound };
    }),
};

const known = new WeakMap<Evidence, ReadonlySet<string>>();

/** Senders, sponsors and recipients of transfers in lost blocks, and of transactions that are wrongly shown as replaced. */
function lostPartiesOf(evidence: Evidence): ReadonlySet<string> {
  const before = known.get(evidence);
  if (before) return before;
  const parties = new Set<string>();
  for (const { raw_tx } of evidence.others.flatMap(({ payload }) => payload.transactions)) {
    const decoded = decodeTransaction(fromHex(raw_tx) ?? new Uint8Array());
    if (!decoded.ok) continue;
    const { origin, sponsor, payload } = decoded.value;
    parties.add(origin.address);
    if (sponsor) parties.add(sponsor.address);
    if (payload.kind === 'token_transfer') parties.add(payload.recipient);
  }
  for (const tx of evidence.wronglyReplaced)
    for (const party of [
      tx.sender_address,
      tx.sponsor_address,
      (tx.token_transfer as Fields | undefined)?.recipient_address,
    ])
      if (typeof party === 'string') parties.add(party);
  known.set(evidence, parties);
  return parties;
}

/** A delegation locks nothing. */
const lockOfNothing: Correction = {
  reason: 'with a delegation for a lock',
  correct: recorded =>
    changeStx(recorded, stx =>
      stx.lock_tx_id === '' || stx.locked !== '0'
        ? undefined
        : { ...stx, lock_tx_id: '', lock_height: 0, burnchain_lock_height: 0, burnchain_unlock_height: 0 },
    ),
};

const AT_TIP = /^\/extended\/v2\/addresses\/[^/?]+\/balances\/stx(\?|$)/;

/**
 * Release 8.13 shows a lock of PoX 4 with the burn height of the tip here: the archive has that of the block that locked it. Locks of earlier
 * versions, which it leaves out here, are those of the naive model, as the release itself shows them in version 1.
 */
const lockOfAnotherTime: Correction = {
  reason: 'with a lock of another time, or without it',
  correct: (recorded, evidence) =>
    changeStx(recorded, (stx, principal) => {
      if (!AT_TIP.test(recorded.path)) return undefined;
      if (stx.lock_tx_id !== '') {
        const { burnHeight } = evidence.blocks.find(({ height }) => height === stx.lock_height) ?? {};
        if (burnHeight === undefined || stx.burnchain_lock_height !== evidence.blocks.at(-1)?.burnHeight)
          return undefined;
        return { ...stx, burnchain_lock_height: burnHeight };
      }
      const world = worldOf(evidence.deliveries);
      const version = lockVersionOf(world, principal);
      if (version < 1 || version > 3) return undefined;
      const { lock_tx_id, locked, lock_height, burnchain_lock_height, burnchain_unlock_height } = accountOf(
        world,
        principal,
      );
      return { ...stx, lock_tx_id, locked, lock_height, burnchain_lock_height, burnchain_unlock_height };
    }),
};

/** A list in brackets is refused, not ignored. */
const listInBrackets: Correction = {
  reason: 'that ignore asset_identifiers[]',
  correct(recorded) {
    if (
      recorded.status !== 200 ||
      !/^\/extended\/v1\/tokens\/nft\/holdings\?.*asset_identifiers(\[|%5B)/.test(recorded.path)
    )
      return undefined;
    return { ...recorded, status: 400, body: { statusCode: 400, error: 'Bad Request', message: 'in brackets' } };
  },
};

/** What the recordings of balances have wrong. */
export const balanceCorrections: readonly Correction[] = [
  minedInPendingSums,
  lockOfNothing,
  lockOfAnotherTime,
  listInBrackets,
];
