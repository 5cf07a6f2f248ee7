import { count, hash, principal } from '../../http/schema.ts';
import { Type } from '../../http/type.ts';

const EXAMPLE = ['address_test.id.blockstack', 'imported.btc', 'test-name.btc'];

/** The names of an owner. */
export const NamesSchemaV1 = Type.Object(
  {
    names: Type.Array(
      Type.String({ description: 'A name (`label.namespace`) or a subdomain (`label.name.namespace`)' }),
      { description: 'In the order of their UTF-16 code units, each once', uniqueItems: true, examples: [EXAMPLE] },
    ),
  },
  { title: 'Names', examples: [{ names: EXAMPLE }] },
);

const shared = {
  address: Type.String({ description: 'The owner', examples: ['SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7'] }),
  blockchain: Type.Literal('stacks'),
  last_txid: hash('The transaction that last changed it'),
};

const zonefile = Type.String({ description: 'Its zone file; empty while that is not known' });

/** A name. */
const NameSchema = Type.Object(
  {
    ...shared,
    address: principal('The owner after the last operation'),
    status: Type.String({ description: 'The last operation', examples: ['name-register'] }),
    zonefile_hash: Type.String({ pattern: '^([0-9a-f]{2})*$', description: 'Of the zone file; empty without one' }),
    expire_block: count('Block height at which it expires, of version 2 the burn height; 0: not, or not known'),
    zonefile,
  },
  { title: 'Name' },
);

/** A subdomain. */
const SubdomainSchema = Type.Object(
  {
    ...shared,
    status: Type.Literal('registered_subdomain'),
    zonefile_hash: Type.String({ pattern: '^[0-9a-f]{32}$', description: 'Last half of the SHA-256 of its zone file' }),
    resolver: Type.String({ description: 'URL of a resolver for other subdomains of the name; empty without one' }),
    zonefile,
  },
  { title: 'Subdomain' },
);

export const NameInfoSchemaV1 = Type.Union([NameSchema, SubdomainSchema], { title: 'NameInfo' });

export const ZoneFileSchemaV1 = Type.Object({ zonefile }, { title: 'ZoneFile' });

/** Names in the order of their bytes. */
export const NameListSchemaV1 = Type.Array(Type.String(), { title: 'NameList', examples: [['alice.btc', 'bob.btc']] });

export const NamespacesSchemaV1 = Type.Object(
  { namespaces: Type.Array(Type.String()) },
  { title: 'Namespaces', examples: [{ namespaces: ['btc', 'id'] }] },
);
