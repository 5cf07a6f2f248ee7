import { Type } from 'typebox';

const EXAMPLE = ['address_test.id.blockstack', 'imported.btc', 'test-name.btc'];

/** The names of an owner. */
export const NamesSchema = Type.Object(
  {
    names: Type.Array(
      Type.String({ description: 'A name (`label.namespace`) or a subdomain (`label.name.namespace`)' }),
      { description: 'In the order of their UTF-16 code units, each once', uniqueItems: true, examples: [EXAMPLE] },
    ),
  },
  { title: 'Names', examples: [{ names: EXAMPLE }] },
);
