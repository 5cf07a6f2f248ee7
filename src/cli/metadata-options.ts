import { join } from 'node:path';
import { DEFAULT_GATEWAYS, type Gateway } from '../metadata/fetch/gateways.ts';
import { DEFAULT_JOB_LIMITS } from '../metadata/jobs/job.ts';
import { DEFAULT_METADATA_LIMITS } from '../metadata/limits.ts';
import type { ImageSettings, MetadataOptions } from '../metadata/settings.ts';
import { type Environment, type OptionSpec, UsageError } from './option-spec.ts';

const urls = (gateways: readonly Gateway[]): string => gateways.map(({ url }) => url).join(', ');

/** Options about token metadata; nothing is fetched without --node-rpc. */
export const METADATA_OPTIONS = {
  'node-rpc': {
    value: 'URL',
    env: 'STACKS_INDEX_NODE_RPC',
    doc: 'http://host:port of a Stacks node, to fetch token metadata; STACKS_CORE_RPC_HOST and _PORT work too; nothing is fetched without',
  },
  'metadata-ipfs-gateways': {
    value: 'URLS',
    env: 'STACKS_INDEX_METADATA_IPFS_GATEWAYS',
    standard: urls(DEFAULT_GATEWAYS.ipfs),
    doc: 'IPFS gateways in the order in which they are asked, with commas',
  },
  'metadata-arweave-gateways': {
    value: 'URLS',
    env: 'STACKS_INDEX_METADATA_ARWEAVE_GATEWAYS',
    standard: urls(DEFAULT_GATEWAYS.arweave),
    doc: 'Arweave gateways in the order in which they are asked, with commas',
  },
  'metadata-allow-hosts': {
    value: 'HOSTS',
    env: 'STACKS_INDEX_METADATA_ALLOW_HOSTS',
    doc: 'host or host:port, with commas: may be asked although private or on an unusual port, such as a gateway of your own',
  },
  'metadata-check-cids': {
    value: 'on|off',
    env: 'STACKS_INDEX_METADATA_CHECK_CIDS',
    standard: 'on',
    doc: 'off: ask the IPFS gateways for names that are no content identifiers too',
  },
  'metadata-images': {
    value: 'on|off',
    env: 'STACKS_INDEX_METADATA_IMAGES',
    standard: 'on',
    doc: 'keep the images of tokens, as PNG',
  },
  'metadata-images-url': {
    value: 'URL',
    env: 'STACKS_INDEX_METADATA_IMAGES_URL',
    doc: 'public address of the kept images; by default a path of the API itself',
  },
  'metadata-images-bucket': {
    value: 'URL',
    env: 'STACKS_INDEX_METADATA_IMAGES_BUCKET',
    doc: 'https://ENDPOINT/BUCKET/PREFIX of an S3-compatible service to keep images in; keys from STACKS_INDEX_IMAGES_ACCESS_KEY and STACKS_INDEX_IMAGES_SECRET_KEY; by default the directory images in --data',
  },
  'metadata-images-region': {
    value: 'NAME',
    env: 'STACKS_INDEX_METADATA_IMAGES_REGION',
    standard: 'us-east-1',
    doc: 'region of the bucket',
  },
  'metadata-concurrency': {
    value: 'COUNT',
    env: 'STACKS_INDEX_METADATA_CONCURRENCY',
    standard: String(DEFAULT_JOB_LIMITS.concurrency),
    doc: 'tokens that are fetched at a time',
  },
  'metadata-host-requests': {
    value: 'COUNT',
    env: 'STACKS_INDEX_METADATA_HOST_REQUESTS',
    standard: String(DEFAULT_METADATA_LIMITS.hostRequestsPerSecond),
    doc: 'requests to one host in a second, gateways included; more for a gateway of your own',
  },
  'metadata-eager-tokens': {
    value: 'COUNT',
    env: 'STACKS_INDEX_METADATA_EAGER_TOKENS',
    standard: String(DEFAULT_JOB_LIMITS.eagerTokens),
    doc: 'largest collection whose tokens are fetched before anybody asks; 0: each is fetched when it is asked for',
  },
  'metadata-refreshes': {
    value: 'COUNT',
    env: 'STACKS_INDEX_METADATA_REFRESHES',
    standard: String(DEFAULT_JOB_LIMITS.refreshesPerHour),
    doc: 'tokens of one contract that are fetched again in an hour',
  },
} as const satisfies Record<string, OptionSpec>;

/** Reads the options of one name, and numbers within bounds. */
export interface OptionReader {
  text(name: keyof typeof METADATA_OPTIONS): string | undefined;
  count(name: keyof typeof METADATA_OPTIONS, least: number, most: number): number;
}

/** @throws UsageError */
export function readMetadataOptions(read: OptionReader, env: Environment, data: string): MetadataOptions {
  const nodeRpc = nodeRpcOf(read.text('node-rpc'), env);
  const images = imagesOf(read, env, data);
  const imagesUrl = read.text('metadata-images-url');
  const gateways = {
    ...DEFAULT_GATEWAYS,
    ipfs: gatewaysOf(read, 'metadata-ipfs-gateways'),
    arweave: gatewaysOf(read, 'metadata-arweave-gateways'),
    checkCids: isOn(read, 'metadata-check-cids'),
  };
  const allowHosts = listOf(read.text('metadata-allow-hosts'));
  const jobs = {
    ...DEFAULT_JOB_LIMITS,
    concurrency: read.count('metadata-concurrency', 1, 1_000),
    eagerTokens: read.count('metadata-eager-tokens', 0, 10_000_000),
    refreshesPerHour: read.count('metadata-refreshes', 1, 3_600_000),
  };
  const hostRequestsPerSecond = read.count('metadata-host-requests', 1, 10_000);
  const limits = { ...DEFAULT_METADATA_LIMITS, hostRequestsPerSecond };
  return {
    images,
    imagesUrl: imagesUrl && `${webUrl('metadata-images-url', imagesUrl).replace(/\/+$/, '')}/`,
    settings: nodeRpc === undefined ? undefined : { nodeRpc, gateways, allowHosts, images, jobs, limits },
  };
}

/** The environment names operators already have for the node. */
function nodeRpcOf(given: string | undefined, env: Environment): string | undefined {
  const host = env.STACKS_CORE_RPC_HOST;
  const url = given ?? (host ? `http://${host}:${env.STACKS_CORE_RPC_PORT ?? '20443'}` : undefined);
  return url && webUrl('node-rpc', url);
}

const gatewaysOf = (read: OptionReader, name: 'metadata-ipfs-gateways' | 'metadata-arweave-gateways'): Gateway[] =>
  listOf(read.text(name)).map(url => ({ url: webUrl(name, url) }));

function imagesOf(read: OptionReader, env: Environment, data: string): ImageSettings {
  if (!isOn(read, 'metadata-images')) return { kind: 'off' };
  const given = read.text('metadata-images-bucket');
  if (given === undefined) return { kind: 'directory', directory: join(data, 'images') };
  const url = new URL(webUrl('metadata-images-bucket', given));
  const [bucket, ...prefix] = url.pathname.split('/').filter(part => part !== '');
  const accessKeyId = env.STACKS_INDEX_IMAGES_ACCESS_KEY;
  const secretAccessKey = env.STACKS_INDEX_IMAGES_SECRET_KEY;
  if (bucket === undefined) throw new UsageError(`--metadata-images-bucket ${given}: it names no bucket`);
  if (!accessKeyId || !secretAccessKey)
    throw new UsageError(
      '--metadata-images-bucket needs STACKS_INDEX_IMAGES_ACCESS_KEY and STACKS_INDEX_IMAGES_SECRET_KEY',
    );
  return {
    kind: 'bucket',
    bucket: {
      endpoint: url.origin,
      bucket,
      region: read.text('metadata-images-region') ?? '',
      credentials: { accessKeyId, secretAccessKey },
      prefix: prefix.map(part => `${part}/`).join(''),
    },
  };
}

function isOn(read: OptionReader, name: 'metadata-images' | 'metadata-check-cids'): boolean {
  const text = read.text(name);
  if (text !== 'on' && text !== 'off') throw new UsageError(`--${name} ${text}: on or off is expected`);
  return text === 'on';
}

function webUrl(name: keyof typeof METADATA_OPTIONS, text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError(`--${name} ${text}: an http: or https: URL is expected`);
  return text;
}

const listOf = (text = ''): string[] =>
  text
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '');
