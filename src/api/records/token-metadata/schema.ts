import { STANDARDS } from '../../../index/token-metadata/standard.ts';
import { address, amount, assetId, contractId, count, hash, nullable, word } from '../../http/schema.ts';
import { Type } from '../../http/type.ts';

const text = (description: string) => Type.String({ description });
/** Any JSON value. */
const anything = (description: string) => Type.Unknown({ description });

const Attribute = Type.Object(
  {
    trait_type: text('The name of the trait'),
    value: text('As it was written; of a number, a truth value, a list or an object, its JSON'),
    display_type: text('Empty if the document has none'),
  },
  { title: 'TokenAttribute', examples: [{ trait_type: 'strength', value: '105', display_type: 'number' }] },
);

const Localization = Type.Object(
  {
    uri: text('Where the other locales are, with `{locale}` in it'),
    default: text('Locale of the default metadata'),
    locales: Type.Array(Type.String()),
  },
  { title: 'TokenLocalization' },
);

/** Texts that a document does not have are empty. */
const Metadata = Type.Object(
  {
    sip: Type.Literal(16),
    name: text('Name of the token'),
    description: text('Empty if the document has none'),
    image: text('As it was written'),
    cached_image: text('URL of the image as PNG, empty without an image'),
    cached_thumbnail_image: text('The same, 300 pixels wide'),
    attributes: Type.Optional(Type.Array(Attribute, { minItems: 1 })),
    properties: Type.Optional(
      Type.Record(Type.String(), anything('As it was written'), {
        description: 'All other members of the document',
        examples: [{ collection: 'Foo Collection' }],
      }),
    ),
    localization: Type.Optional(Localization),
  },
  { title: 'TokenMetadata', description: 'Absent when the token has no document, or it has no name' },
);

const tokenUri = Type.Optional(text('URI of the metadata from the contract; absent if the contract has none'));
const decimals = Type.Optional(count('Digits after the decimal point'));
const totalSupply = Type.Optional(amount('Number of the smallest units'));

/** The response for a non-fungible token. */
export const NftMetadataSchema = Type.Object(
  { token_uri: tokenUri, metadata: Type.Optional(Metadata) },
  { title: 'NftMetadata', examples: [{ token_uri: 'ipfs://QmTokens/1.json' }] },
);

export const SftMetadataSchema = Type.Object(
  { token_uri: tokenUri, decimals, total_supply: totalSupply, metadata: Type.Optional(Metadata) },
  { title: 'SftMetadata', examples: [{ token_uri: 'ipfs://QmTokens/1.json', decimals: 6, total_supply: '1000000' }] },
);

const ftFields = {
  name: Type.Optional(text('From the contract, like the next three')),
  symbol: Type.Optional(Type.String()),
  decimals,
  total_supply: totalSupply,
  token_uri: tokenUri,
  description: Type.Optional(text('Of the metadata, like the images')),
  tx_id: hash('Deployment of the contract'),
  sender_address: address('Who deployed it'),
  asset_identifier: assetId(),
  image_uri: Type.Optional(text('URL of the image as PNG, empty without an image')),
  image_canonical_uri: Type.Optional(text('From the metadata')),
  image_thumbnail_uri: Type.Optional(text('The same as `image_uri`, 300 pixels wide')),
};

export const FtMetadataSchema = Type.Object(
  { ...ftFields, metadata: Type.Optional(Metadata) },
  { title: 'FtMetadata' },
);

export const FtBasicMetadataSchema = Type.Object(
  { ...ftFields, contract_principal: contractId('The contract') },
  { title: 'FtBasicMetadata' },
);

export const FoundTokenSchema = Type.Object(
  {
    contract_id: contractId(),
    token_number: Type.Integer({ minimum: 0, examples: [1] }),
    token_type: word(['ft', 'nft', 'sft']),
    name: Type.Optional(text('Of the contract, else of the metadata')),
    symbol: Type.Optional(Type.String()),
    decimals,
    total_supply: totalSupply,
    token_uri: tokenUri,
    description: Type.Optional(text('Of the metadata, like the images')),
    image_uri: Type.Optional(text('URL of the image as PNG, empty without an image')),
    image_thumbnail_uri: Type.Optional(text('The same, 300 pixels wide')),
    image_canonical_uri: Type.Optional(text('From the metadata')),
    tx_id: hash('Deployment of the contract'),
    sender_address: address('Who deployed it'),
    asset_identifier: Type.Optional(assetId()),
  },
  { title: 'FoundToken' },
);

export const MetadataStatusSchema = Type.Object(
  {
    server_version: Type.String({ examples: ['stacks-index v0.1.0'] }),
    status: Type.Literal('ready'),
    chain_tip: nullable(
      Type.Object({ block_height: count(), index_block_hash: hash() }, { title: 'MetadataChainTip' }),
      'Null while the index is empty',
    ),
    token_contracts: Type.Object(Object.fromEntries(STANDARDS.map(standard => [standard, count()])), {
      description: 'Number of contracts that follow each standard',
      examples: [{ 'sip-009': 0, 'sip-010': 0, 'sip-013': 0 }],
    }),
  },
  { title: 'MetadataStatus' },
);
