import { Readable } from 'node:stream';
import { type ClarityValue, decodeClarityValue } from '../../src/base/codec/index.ts';
import { fromHex, toHex } from '../../src/base/lib/hex.ts';
import { fail, ok, type Result } from '../../src/base/lib/result.ts';
import type { Database, Row } from '../../src/base/store/database.ts';
import type { NodeCallError, NodeRpc, ReadOnlyCall } from '../../src/ingest/node/rpc.ts';
import type { MetadataDocument } from '../../src/metadata/document/document.ts';
import { parseDocument } from '../../src/metadata/document/parse.ts';
import { type MetadataError, metadataError } from '../../src/metadata/errors.ts';
import type { MetadataFetcher } from '../../src/metadata/fetch/fetch-document.ts';
import { fillPlaceholders } from '../../src/metadata/fetch/uris.ts';
import { followIndex } from '../../src/metadata/jobs/follow.ts';
import {
  DEFAULT_JOB_LIMITS,
  type ImageCache,
  type Job,
  type JobContext,
  type JobLimits,
} from '../../src/metadata/jobs/job.ts';
import { createMetadataTables, JobQueue } from '../../src/metadata/jobs/queue.ts';
import { runJob } from '../../src/metadata/jobs/runner.ts';
import { DEFAULT_METADATA_LIMITS } from '../../src/metadata/limits.ts';
import { type BuiltBlock, ChainBuilder } from './chain-builder.ts';
import { sampleDeploy, sampleMove, samplePrint } from './sample-contracts.ts';
import { type NotificationParts, notificationHex, tokenContractInterface, uintHex } from './sample-tokens.ts';
import { openTestIndex, type TestIndex } from './test-index.ts';
import { accountAddress, type BuiltTx } from './transaction-builder.ts';

type CallResponse = Result<ClarityValue, NodeCallError>;

/** The result of a call as a node sends it, 0x hex. */
export function responseOf(hex: string): CallResponse {
  const value = decodeClarityValue(fromHex(hex) ?? new Uint8Array());
  if (!value.ok) throw new Error(`not a Clarity value: ${hex}`);
  return value;
}

/** `(ok (some "text"))` */
export const okSome = (text: string): string =>
  `0x070a0d${text.length.toString(16).padStart(8, '0')}${Buffer.from(text).toString('hex')}`;

/** A node whose contracts return what a test sets; calls without a result are unavailable. */
export class FakeNode implements NodeRpc {
  readonly calls: ReadOnlyCall[] = [];
  /** By `function` or `contract.function`: the result in hex, or an error. */
  readonly results = new Map<string, string | NodeCallError | ((call: ReadOnlyCall) => string | NodeCallError)>();

  async callReadOnly(call: ReadOnlyCall): Promise<CallResponse> {
    this.calls.push(call);
    const given = this.results.get(`${call.contractId}.${call.functionName}`) ?? this.results.get(call.functionName);
    const result = typeof given === 'function' ? given(call) : given;
    if (result === undefined) return fail({ kind: 'unavailable', message: 'the test has no response' });
    return typeof result === 'string' ? responseOf(result) : fail(result);
  }
}

type Page = unknown | MetadataError;

/** The web as far as a test makes it: documents and images by their address. */
export class FakeWeb implements MetadataFetcher {
  readonly documents = new Map<string, Page>();
  readonly images = new Map<string, Uint8Array | MetadataError>();
  readonly requests: string[] = [];
  /** Called before a response is given. */
  before: (uri: string, signal: AbortSignal | undefined) => Promise<void> = async () => {};

  async fetchDocument(...[template, request]: Parameters<MetadataFetcher['fetchDocument']>) {
    const uri = await this.#ask(template, request);
    const page = this.documents.get(uri);
    if (page === undefined) return fail(notFound('document'));
    if (isError(page)) return fail(page);
    const bytes = Buffer.from(JSON.stringify(page));
    const nameRequired = request.locale === undefined;
    return parseDocument(bytes, { limits: DEFAULT_METADATA_LIMITS, id: request.id, nameRequired });
  }

  async fetchImage(...[template, request]: Parameters<MetadataFetcher['fetchImage']>) {
    const image = this.images.get(await this.#ask(template, request));
    if (image === undefined) return fail(notFound('image'));
    return image instanceof Uint8Array ? ok(image) : fail(image);
  }

  async #ask(template: string, request: { id: string; locale?: string; signal?: AbortSignal }): Promise<string> {
    const uri = fillPlaceholders(template, request);
    this.requests.push(uri);
    await this.before(uri, request.signal);
    request.signal?.throwIfAborted();
    return uri;
  }
}

const notFound = (purpose: 'document' | 'image') => metadataError(purpose, 'refused', 'slow-retry', '404');
const isError = (page: Page): page is MetadataError => typeof page === 'object' && page !== null && 'reason' in page;

/** Keeps images in memory. What it decodes is never an image: it only says that it was there. */
export function fakeImages(): ImageCache & { readonly files: Map<string, Uint8Array> } {
  const files = new Map<string, Uint8Array>();
  return {
    files,
    store: {
      open: async name => {
        const bytes = files.get(name);
        return bytes && { length: bytes.length, stream: Readable.from([bytes]) };
      },
      has: async name => files.has(name),
      write: async (name, bytes) => void files.set(name, bytes),
    },
    processor: {
      process: async bytes =>
        ok({ image: Buffer.from(bytes), thumbnail: Buffer.from(bytes).subarray(0, 4), width: 1, height: 1 }),
      close: async () => {},
    },
  };
}

export interface WorldOptions {
  readonly limits?: Partial<JobLimits>;
  readonly images?: ImageCache;
}

/** An index with a chain that tests extend, and the metadata work over it, step by step and by a clock that tests move. */
export class MetadataWorld {
  readonly db: Database;
  readonly index: TestIndex;
  readonly chain = new ChainBuilder('metadata');
  readonly node = new FakeNode();
  readonly web = new FakeWeb();
  readonly limits: JobLimits;
  readonly context: JobContext;
  readonly queue: JobQueue;
  /** Tokens that clients requested and that were never processed. */
  readonly requested: [contractId: string, token: string][];
  now = 1_700_000_000_000;

  constructor(
    db: Database,
    index: TestIndex,
    requested: [contractId: string, token: string][],
    { limits, images }: WorldOptions,
  ) {
    this.requested = requested;
    this.db = db;
    this.index = index;
    this.limits = { ...DEFAULT_JOB_LIMITS, ...limits };
    this.context = {
      db,
      index: db,
      node: this.node,
      fetcher: this.web,
      images,
      limits: this.limits,
      now: () => this.now,
    };
    this.queue = this.openQueue();
  }

  static async open(db: Database, options: WorldOptions = {}): Promise<MetadataWorld> {
    const requested: [contractId: string, token: string][] = [];
    const request = (...request: [contractId: string, token: string]) => void requested.push(request);
    const index = await openTestIndex(db, { metadata: { enabled: true, request } });
    await createMetadataTables(db);
    return new MetadataWorld(db, index, requested, options);
  }

  /** As another process has it. */
  openQueue(): JobQueue {
    return new JobQueue({ db: this.db, limits: this.limits, now: () => this.now, random: () => 0 });
  }

  /** A block with these transactions on top of another, delivered. */
  async block(parent: BuiltBlock | undefined, ...txs: BuiltTx[]): Promise<BuiltBlock> {
    const block = this.chain.block({ ...(parent && { parent }), txs });
    await this.index.deliver(block.delivery);
    return block;
  }

  deploy(name: string, standard: Parameters<typeof tokenContractInterface>[0] = 'sip-009'): BuiltTx {
    return sampleDeploy(this.chain, name, { contractInterface: tokenContractInterface(standard) });
  }

  /** The contract that `deploy` makes. */
  contract(name: string): string {
    return `${accountAddress(9)}.${name}`;
  }

  mint(name: string, ...tokens: (number | bigint)[]): BuiltTx {
    const asset = `${this.contract(name)}::cat`;
    return this.act(
      name,
      tokens.map(token => sampleMove(asset, uintHex(token), null, accountAddress(7))),
    );
  }

  notify(name: string, parts: Partial<NotificationParts> = {}): BuiltTx {
    const contractId = this.contract(name);
    const value = notificationHex({ contractId, tokenClass: 'nft', ...parts });
    return this.act(name, [samplePrint(contractId, value)]);
  }

  /** A call of the contract in which this happens. */
  act(name: string, events: BuiltTx['events']): BuiltTx {
    const call = this.chain.call(name, 'act');
    return { ...call, events: events.map(event => ({ txid: call.txId, committed: true, ...event })) };
  }

  /** Makes jobs of what is new in the index. */
  async follow(): Promise<void> {
    while (await followIndex(this.context));
  }

  /** Follows the index, then runs what is due until nothing is. @returns what was run, as `contract token kind` */
  async work(): Promise<string[]> {
    const ran: string[] = [];
    await this.follow();
    for (;;) {
      const jobs = [...(await this.queue.claim(4)), ...(await this.queue.claim(4, 'images'))];
      if (jobs.length === 0) return ran;
      for (const job of jobs) {
        ran.push(`${job.contractId.split('.')[1]} ${job.token} ${job.kind}`.replace('  ', ' '));
        await this.run(job);
      }
      await this.follow();
    }
  }

  /** @returns whether the result counted */
  async run(job: Job, queue = this.queue): Promise<boolean> {
    return queue.finish(job, await runJob(job, this.context, new AbortController().signal));
  }

  /** The job as it is stored. */
  async job(name: string, token: string, kind = 'token'): Promise<Row | undefined> {
    return this.db.read(queries =>
      queries.get('SELECT * FROM metadata_jobs WHERE contract_id = ? AND token = ? AND kind = ?', [
        this.contract(name),
        token,
        kind,
      ]),
    );
  }

  async jobs(state: string): Promise<number> {
    const sql = 'SELECT COUNT(*) AS jobs FROM metadata_jobs WHERE state = ?';
    return (await this.db.read(queries => queries.get<{ jobs: number }>(sql, [state])))?.jobs ?? 0;
  }

  /** The response of getNftMetadataV1. */
  nft(name: string, token: number | string, query = '') {
    return this.index.get(`/metadata/v1/nft/${this.contract(name)}/${token}${query}`);
  }

  /** A contract whose tokens have documents `ipfs://NAME/ID`, and that counts up to `last`. */
  setResultsFor(name: string, last = 0): void {
    const contractId = this.contract(name);
    this.node.results.set(`${contractId}.get-last-token-id`, `0x07${uintHex(last).slice(2)}`);
    this.node.results.set(`${contractId}.get-token-uri`, okSome(`ipfs://${name}/{id}`));
  }

  document(uri: string, document: Partial<MetadataDocument> | Page): void {
    this.web.documents.set(uri, document);
  }
}

/** The token that a call was about, decimal. */
export const tokenOf = ({ args }: ReadOnlyCall): string => {
  const [arg] = args;
  return arg ? String(BigInt(`0x${toHex(arg).slice(4)}`)) : '';
};
