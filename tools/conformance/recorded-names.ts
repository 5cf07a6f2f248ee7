import { isNameContract, member, memberTuple, nameOf, tupleOf } from '../../test/model/responses/name-values.ts';
import type { Block, Payload } from '../../test/model/world.ts';
import type { Json, Recorded } from '../../test/support/recording.ts';
import type { Correction } from './evidence.ts';

const NAME = /^\/v1\/names\/([^/?]+)(\?.*)?$/;

/**
 * Names without a zone file: the recorded 404 does not distinguish them from names that do not exist, which other responses of the recording do.
 *
 * Names that one block updates and then transfers. A transfer leaves the expiry as it was before its block: so say recordings of other
 * chains of the same operations in the same order. Where a recording has that of the update, it is compared with the one before.
 */
export const nameCorrections: readonly Correction[] = [
  {
    reason: 'with the expiry of an update in the block of a transfer',
    correct(recorded, { blocks }) {
      const [, name] = NAME.exec(recorded.path) ?? [];
      const body = recorded.body as Record<string, Json> | undefined;
      if (name === undefined || recorded.status !== 200 || body?.status !== 'name-transfer') return undefined;
      const moved = blocks.find(({ payload }) => idsOf(payload).includes(String(body.last_txid)));
      if (!moved || !operationsOn(name, moved).some(op => op !== 'name-transfer')) return undefined;
      const before = blocks.findLast(
        block => block.height < moved.height && operationsOn(name, block).some(op => op !== 'name-transfer'),
      );
      const lifetime = Number(body.expire_block) - moved.height;
      // A sound response has what is left of a lifetime: less than any namespace gives.
      if (!before || !blocks.some(block => launches(name, lifetime, block))) return undefined;
      return { ...recorded, body: { ...body, expire_block: before.height + lifetime } };
    },
  },
  {
    reason: 'of a known name without a zone file as not found',
    correct(recorded, { responses }) {
      const [, name] = ZONE_FILE.exec(recorded.path) ?? [];
      if (name === undefined || recorded.status !== 404 || !responses.some(shown => namesIn(shown).includes(name)))
        return undefined;
      return { ...recorded, status: 200, body: { zonefile: '' } };
    },
  },
];

const ZONE_FILE = /^\/v1\/names\/([^/?.]+\.[^/?.]+)\/zonefile(\?.*)?$/;

/** The names that a response shows as existing. */
function namesIn({ path, status, body }: Recorded): readonly Json[] {
  if (status !== 200) return [];
  const [, name] = NAME.exec(path) ?? [];
  if (name !== undefined) return [name];
  return /^\/v1\/(names|namespaces\/[^/?]+\/names)\/?(\?.*)?$/.test(path) && Array.isArray(body) ? body : [];
}

const idsOf = ({ transactions }: Payload): string[] => transactions.map(({ txid }: Payload) => txid);

const prints = (block: Block) =>
  (block.payload.events as Payload[]).flatMap(({ committed, contract_event: log }) =>
    committed && log?.topic === 'print' && isNameContract(log.contract_identifier)
      ? (tupleOf(log.raw_value) ?? [])
      : [],
  );

/** What a block does to a name. */
const operationsOn = (name: string, block: Block): string[] =>
  prints(block).flatMap(print => {
    const metadata = memberTuple(memberTuple(print, 'attachment'), 'metadata');
    const op = member(metadata, 'op');
    return nameOf(metadata) === name && op?.type === 'string-ascii' ? [op.value] : [];
  });

/** Whether a block launches the namespace of a name with this lifetime. */
const launches = (name: string, lifetime: number, block: Block): boolean =>
  prints(block).some(print => {
    const [namespace, told] = [member(print, 'namespace'), member(memberTuple(print, 'properties'), 'lifetime')];
    return (
      namespace?.type === 'buffer' &&
      name.endsWith(`.${Buffer.from(namespace.value).toString()}`) &&
      told?.type === 'uint' &&
      Number(told.value) === lifetime
    );
  });
