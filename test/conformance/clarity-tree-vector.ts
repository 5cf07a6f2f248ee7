import { type ClarityValue, parsePrincipal, tupleMember } from '../../src/base/codec/index.ts';
import { toHex } from '../../src/base/lib/hex.ts';

type Json = Record<string, unknown>;

/**
 * A decoded tree in the shape of the `deep` member of clarity_value vectors. `like` is the vector: its hex and repr,
 * which a tree does not hold, are copied from it (they are compared elsewhere).
 */
export function clarityTreeToVector(value: ClarityValue, like: unknown): unknown {
  const { repr, hex, ...expected } = like as Json;
  return { repr, hex, type_id: typeId(value), ...contents(value, expected) };
}

const TYPE_IDS = {
  int: 0,
  uint: 1,
  buffer: 2,
  ok: 7,
  err: 8,
  none: 9,
  some: 10,
  list: 11,
  tuple: 12,
  'string-ascii': 13,
  'string-utf8': 14,
};

function typeId(value: ClarityValue): number {
  switch (value.type) {
    case 'bool':
      return value.value ? 3 : 4;
    case 'principal':
      return value.value.includes('.') ? 6 : 5;
    default:
      return TYPE_IDS[value.type];
  }
}

function contents(value: ClarityValue, expected: Json): Json {
  switch (value.type) {
    case 'int':
    case 'uint':
      return { value: value.value.toString() };
    case 'bool':
      return { value: value.value };
    case 'buffer':
      return { buffer: toHex(value.value) };
    case 'none':
      return { value: null };
    case 'some':
    case 'ok':
    case 'err':
      return { value: clarityTreeToVector(value.value, expected.value) };
    case 'list':
      return { list: value.items.map((item, index) => clarityTreeToVector(item, (expected.list as unknown[])[index])) };
    case 'tuple': {
      const data = expected.data as Json;
      const names = value.entries.map(entry => entry.name);
      return {
        data: Object.fromEntries(
          names.map(name => [name, clarityTreeToVector(tupleMember(value, name) ?? { type: 'none' }, data[name])]),
        ),
      };
    }
    case 'string-utf8':
      return { data: value.value };
    case 'string-ascii':
      return { data: Buffer.from(value.value, 'latin1').toString('utf8') }; // the vectors read the bytes as UTF-8
    case 'principal': {
      const principal = parsePrincipal(value.value);
      if (principal === undefined) return {};
      return {
        address_version: principal.version,
        address_hash_bytes: toHex(principal.hash160),
        address: principal.address,
        ...(principal.contractName === null ? {} : { contract_name: principal.contractName }),
      };
    }
    default:
      return value satisfies never;
  }
}
