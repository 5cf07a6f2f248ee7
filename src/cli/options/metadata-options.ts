import { join } from 'node:path';
import { DEFAULT_GATEWAYS, type Gateway } from '../../metadata/fetch/gateways.ts';
import { DEFAULT_JOB_LIMITS } from '../../metadata/jobs/job.ts';
import { DEFAULT_METADATA_LIMITS } from '../../metadata/limits.ts';
import type { ImageSettings, MetadataOptions, MetadataSettings } from '../../metadata/settings.ts';
import { anyText, hosts, onOff, webUrl, webUrls, wholeNumber } from './option-parsers.ts';
import { type OptionSpec, UsageError, type ValuesOf } from './option-spec.ts';

const MEGABYTE = 1_000_000;

const urls = (gateways: readonly Gateway[]): string => gateways.map(({ url }) => url).join(', ');

/** Options about token metadata. */
export const METADATA_OPTIONS = {
  'metadata-ipfs-gateways': {
    group: 'Token metadata',
    commands: ['serve'],
    value: 'URLS',
    parse: webUrls,
    env: 'STACKS_INDEX_METADATA_IPFS_GATEWAYS',
    default: urls(DEFAULT_GATEWAYS.ipfs),
    help: 'IPFS gateways, separated by commas, in the order in which they are tried',
  },
  'metadata-arweave-gateways': {
    group: 'Token metadata',
    commands: ['serve'],
    value: 'URLS',
    parse: webUrls,
    env: 'STACKS_INDEX_METADATA_ARWEAVE_GATEWAYS',
    default: urls(DEFAULT_GATEWAYS.arweave),
    help: 'Arweave gateways, separated by commas, in the order in which they are tried',
  },
  'metadata-allow-hosts': {
    group: 'Token metadata',
    commands: ['serve'],
    value: 'HOSTS',
    parse: hosts,
    env: 'STACKS_INDEX_METADATA_ALLOW_HOSTS',
    help: 'hosts that may have a private address or another port than 80 and 443, separated by commas: host, host:port or an origin with a path, such as http://10.0.0.5:8080/ipfs/ for your own gateway',
  },
  'metadata-check-cids': {
    group: 'Token metadata',
    commands: ['serve'],
    value: 'on|off',
    parse: onOff,
    env: 'STACKS_INDEX_METADATA_CHECK_CIDS',
    default: 'on',
    help: 'request only valid content identifiers from the IPFS gateways',
  },
  'metadata-images': {
    group: 'Token metadata',
    commands: ['serve'],
    value: 'on|off',
    parse: onOff,
    env: 'STACKS_INDEX_METADATA_IMAGES',
    default: 'on',
    help: 'keep the images of tokens, as PNG',
  },
  'metadata-images-url': {
    group: 'Token metadata',
    commands: ['serve'],
    value: 'URL',
    parse: webUrl,
    env: 'STACKS_INDEX_METADATA_IMAGES_URL',
    help: 'public address of the kept images; a path of the API if not set',
  },
  'metadata-images-bucket': {
    group: 'Token metadata',
    commands: ['serve'],
    value: 'URL',
    parse: webUrl,
    env: 'STACKS_INDEX_METADATA_IMAGES_BUCKET',
    help: 'https://ENDPOINT/BUCKET/PREFIX of an S3-compatible service that keeps the images; the directory images in --data if not set',
  },
  'metadata-images-region': {
    group: 'Token metadata',
    commands: ['serve'],
    value: 'NAME',
    parse: anyText,
    env: 'STACKS_INDEX_METADATA_IMAGES_REGION',
    default: 'us-east-1',
    help: 'region of the bucket',
  },
  'metadata-images-access-key': {
    group: 'Token metadata',
    commands: ['serve'],
    value: 'TEXT',
    parse: anyText,
    secret: true,
    environmentOnly: true,
    env: 'STACKS_INDEX_IMAGES_ACCESS_KEY',
    help: 'access key id for the bucket',
  },
  'metadata-images-secret-key': {
    group: 'Token metadata',
    commands: ['serve'],
    value: 'TEXT',
    parse: anyText,
    secret: true,
    environmentOnly: true,
    env: 'STACKS_INDEX_IMAGES_SECRET_KEY',
    help: 'secret access key for the bucket',
  },
  'metadata-concurrency': {
    group: 'Token metadata',
    commands: ['serve'],
    value: 'COUNT',
    parse: wholeNumber(1, 1_000),
    env: 'STACKS_INDEX_METADATA_CONCURRENCY',
    default: String(DEFAULT_JOB_LIMITS.concurrency),
    help: 'tokens that are fetched at once',
  },
  'metadata-host-requests': {
    group: 'Token metadata',
    commands: ['serve'],
    value: 'COUNT',
    parse: wholeNumber(1, 10_000),
    env: 'STACKS_INDEX_METADATA_HOST_REQUESTS',
    default: String(DEFAULT_METADATA_LIMITS.hostRequestsPerSecond),
    help: 'requests per second to one host, gateways included; raise it for your own gateway',
  },
  'metadata-eager-tokens': {
    group: 'Token metadata',
    commands: ['serve'],
    value: 'COUNT',
    parse: wholeNumber(0, 10_000_000),
    env: 'STACKS_INDEX_METADATA_EAGER_TOKENS',
    default: String(DEFAULT_JOB_LIMITS.eagerTokens),
    help: 'largest collection whose tokens are fetched before a client requests them; 0 fetches each token on request',
  },
  'metadata-refreshes': {
    group: 'Token metadata',
    commands: ['serve'],
    value: 'COUNT',
    parse: wholeNumber(1, 3_600_000),
    env: 'STACKS_INDEX_METADATA_REFRESHES',
    default: String(DEFAULT_JOB_LIMITS.refreshesPerHour),
    help: 'tokens of one contract that may be refreshed per hour',
  },
  'metadata-images-size': {
    group: 'Token metadata',
    commands: ['serve'],
    value: 'MB',
    parse: wholeNumber(1, 100_000_000),
    env: 'STACKS_INDEX_METADATA_IMAGES_SIZE',
    default: String(DEFAULT_JOB_LIMITS.imageBytes / MEGABYTE),
    help: 'megabytes of images kept for all tokens; further images are not kept',
  },
  'metadata-images-contract-size': {
    group: 'Token metadata',
    commands: ['serve'],
    value: 'MB',
    parse: wholeNumber(1, 100_000_000),
    env: 'STACKS_INDEX_METADATA_IMAGES_CONTRACT_SIZE',
    default: String(DEFAULT_JOB_LIMITS.contractImageBytes / MEGABYTE),
    help: 'megabytes of images kept for the tokens of one contract',
  },
  'metadata-images-token-size': {
    group: 'Token metadata',
    commands: ['serve'],
    value: 'MB',
    parse: wholeNumber(1, 100_000_000),
    env: 'STACKS_INDEX_METADATA_IMAGES_TOKEN_SIZE',
    default: String(DEFAULT_JOB_LIMITS.tokenImageBytes / MEGABYTE),
    help: 'megabytes of images kept for one token, all versions and languages together',
  },
  'metadata-decode-seconds': {
    group: 'Token metadata',
    commands: ['serve'],
    value: 'SECONDS',
    parse: wholeNumber(1, 3_600),
    env: 'STACKS_INDEX_METADATA_DECODE_SECONDS',
    default: String(DEFAULT_JOB_LIMITS.decodeMsPerHour / 1_000),
    help: 'seconds per hour that decoding images of one contract may take',
  },
  'metadata-free-space': {
    group: 'Token metadata',
    commands: ['serve'],
    value: 'MB',
    parse: wholeNumber(0, 100_000_000),
    env: 'STACKS_INDEX_METADATA_FREE_SPACE',
    default: String(DEFAULT_JOB_LIMITS.freeBytes / MEGABYTE),
    help: 'free megabytes on the disk below which no token metadata is fetched',
  },
} as const satisfies Record<string, OptionSpec>;

type Values = ValuesOf<typeof METADATA_OPTIONS> & {
  /** Undefined: nothing is fetched. */
  readonly nodeRpc: string | undefined;
  /** Directory of the index. */
  readonly data: string;
};

/** @throws UsageError */
export function metadataOptions(values: Values): MetadataOptions {
  const { nodeRpc, metadataImagesUrl } = values;
  const images = imagesOf(values);
  const settings = nodeRpc === undefined ? undefined : { nodeRpc, images, ...fetchSettings(values) };
  return { images, imagesUrl: metadataImagesUrl && `${metadataImagesUrl.replace(/\/+$/, '')}/`, settings };
}

function fetchSettings(values: Values): Omit<MetadataSettings, 'nodeRpc' | 'images'> {
  return {
    gateways: {
      ...DEFAULT_GATEWAYS,
      ipfs: values.metadataIpfsGateways.map(url => ({ url })),
      arweave: values.metadataArweaveGateways.map(url => ({ url })),
      checkCids: values.metadataCheckCids,
    },
    allowHosts: values.metadataAllowHosts ?? [],
    jobs: {
      ...DEFAULT_JOB_LIMITS,
      concurrency: values.metadataConcurrency,
      eagerTokens: values.metadataEagerTokens,
      refreshesPerHour: values.metadataRefreshes,
      imageBytes: values.metadataImagesSize * MEGABYTE,
      contractImageBytes: values.metadataImagesContractSize * MEGABYTE,
      tokenImageBytes: values.metadataImagesTokenSize * MEGABYTE,
      decodeMsPerHour: values.metadataDecodeSeconds * 1_000,
      freeBytes: values.metadataFreeSpace * MEGABYTE,
    },
    limits: { ...DEFAULT_METADATA_LIMITS, hostRequestsPerSecond: values.metadataHostRequests },
  };
}

function imagesOf(values: Values): ImageSettings {
  if (!values.metadataImages) return { kind: 'off' };
  const given = values.metadataImagesBucket;
  if (given === undefined) return { kind: 'directory', directory: join(values.data, 'images') };
  const url = new URL(given);
  const [bucket, ...prefix] = url.pathname.split('/').filter(part => part !== '');
  const { metadataImagesAccessKey: accessKeyId, metadataImagesSecretKey: secretAccessKey } = values;
  if (bucket === undefined)
    throw new UsageError(
      `--metadata-images-bucket must be a URL of the form https://ENDPOINT/BUCKET; it is ${JSON.stringify(given)}`,
      'serve',
    );
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new UsageError(
      '--metadata-images-bucket needs STACKS_INDEX_IMAGES_ACCESS_KEY and STACKS_INDEX_IMAGES_SECRET_KEY in the environment',
      'serve',
    );
  return {
    kind: 'bucket',
    bucket: {
      endpoint: url.origin,
      bucket,
      region: values.metadataImagesRegion,
      credentials: { accessKeyId, secretAccessKey },
      prefix: prefix.map(part => `${part}/`).join(''),
    },
  };
}
