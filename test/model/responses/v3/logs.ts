import { decodeClarityValue, tupleMember } from '../../../../src/base/codec/index.ts';
import { hexBytes } from '../../../../src/base/lib/hex.ts';
import { principalOf } from '../../principals.ts';
import { eventRecord } from '../../records/event.ts';
import { position } from '../../records/v3-transaction.ts';
import { failed, numberOf, ok, type Route } from '../../route.ts';
import type { Payload, Tx, World } from '../../world.ts';
import { cursorPage, eventsPage } from './page.ts';

interface Print {
  readonly tx: Tx;
  readonly index: number;
  readonly event: Payload;
  readonly topic: string | null;
  readonly principals: readonly string[];
}

/** What a contract printed, in chain order. */
const printsOf = (world: World, id: string): Print[] =>
  world.txs.flatMap(tx =>
    tx.events.flatMap((event, index) =>
      event.contract_event?.contract_identifier === id
        ? [{ tx, index, event, ...fieldsOf(String(event.contract_event.raw_value)) }]
        : [],
    ),
  );

/** The first text of 1 to 64 printable bytes in these members, and the first four principals (docs/spec/contracts.md#topics-of-logs). */
function fieldsOf(hex: string): Pick<Print, 'topic' | 'principals'> {
  const decoded = decodeClarityValue(hexBytes(hex));
  const tuple = decoded.ok ? decoded.value : undefined;
  if (tuple?.type !== 'tuple') return { topic: null, principals: [] };
  const texts = ['event', 'topic', 'action', 'notification'].flatMap(name => {
    const member = tupleMember(tuple, name);
    return member?.type === 'string-ascii' || member?.type === 'string-utf8' ? [member.value] : [];
  });
  const principals = tuple.entries.flatMap(({ value }) => (value.type === 'principal' ? [value.value] : []));
  return { topic: texts.find(isTopic) ?? null, principals: [...new Set(principals)].slice(0, 4) };
}

const isTopic = (text: string): boolean =>
  text.length > 0 && Buffer.from(text).length <= 64 && [...text].every(isPrintable);

const isPrintable = (character: string): boolean =>
  character !== '\u{fffd}' && character >= ' ' && (character < '\u{7f}' || character > '\u{9f}');

/** getSmartContractLogsV3. */
const logs: Route['respond'] = (world, { id: given = '' }, query) => {
  const [topic, principal] = [query.get('topic'), query.get('principal')];
  const [id, party] = [principalOf(given), principal === null ? '' : principalOf(principal)];
  if (!id?.includes('.') || party === undefined || (topic !== null && !isTopic(topic))) return failed(400);
  const found = printsOf(world, id).filter(
    print => (topic === null || print.topic === topic) && (party === '' || print.principals.includes(party)),
  );
  return eventsPage(
    world,
    found.reverse(),
    print => print,
    query,
    ({ tx, event, topic }) => ({ ...eventRecord(tx, event), topic, block: position(tx).block }),
  );
};

/** getSmartContractLogTopicsV3. */
const topics: Route['respond'] = (world, { id: given = '' }, query) => {
  const id = principalOf(given);
  if (!id?.includes('.')) return failed(400);
  const printed = printsOf(world, id).flatMap(({ topic }) => topic ?? []);
  const all = [...new Set(printed)];
  const cursors = all.map((_, i) => String(i));
  const first = Math.min(Number(query.get('cursor') ?? 0), all.length);
  const served = (topic: string) => ({ topic, log_count: printed.filter(other => other === topic).length });
  return ok(cursorPage(all, cursors, first, numberOf(query, 'limit', 20), served));
};

export const v3LogRoutes: readonly Route[] = [
  { template: '/extended/v3/smart-contracts/{id}/logs', respond: logs },
  { template: '/extended/v3/smart-contracts/{id}/logs/topics', respond: topics },
];
