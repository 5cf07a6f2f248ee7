import { fail, ok, type Result } from '../../base/lib/result.ts';
import type { Resolver } from '../../base/net/destinations.ts';
import type { MetadataDocument } from '../document/document.ts';
import { parseDocument } from '../document/parse.ts';
import { type MetadataError, metadataError, type Purpose, REASON } from '../errors.ts';
import type { MetadataLimits } from '../limits.ts';
import type { FetchSource, Gateways } from './gateways.ts';
import type { HostGate } from './host-gate.ts';
import { type Placeholders, resolveUri } from './uris.ts';
import { WebClient } from './web-client.ts';

export interface FetcherOptions {
  readonly limits: MetadataLimits;
  readonly gateways: Gateways;
  /** Origins with a path that may be private and have any port (destinations.ts). */
  readonly allowHosts: readonly string[];
  /** Ports of all other hosts: by default 80 and 443. */
  readonly allowPorts: readonly number[];
  readonly gate: HostGate;
  /** For the User-Agent. */
  readonly version: string;
  /** Whether to replace `{id}` in strings of documents, by SIP-016. */
  readonly replaceIds: boolean;
  /** Addresses of a name; the system's resolver by default. */
  readonly resolver?: Resolver;
}

interface FetchRequest extends Placeholders {
  /** Aborting it closes the connection at once. */
  readonly signal?: AbortSignal;
}

/**
 * Fetches the URIs of contracts and their documents. The methods throw the reason of an aborted signal and errors of
 * the gate's hooks.
 */
export interface MetadataFetcher {
  /**
   * The document at a token URI or, with a locale, at a localization URI; a document of a locale may lack a name.
   * Gateways are tried in turn until one has it.
   */
  fetchDocument(template: string, request: FetchRequest): Promise<Result<MetadataDocument, MetadataError>>;
  /** The bytes of an image, unchecked: `ImageProcessor` checks them. */
  fetchImage(template: string, request: FetchRequest): Promise<Result<Uint8Array, MetadataError>>;
}

export const DEFAULT_PORTS: readonly number[] = [80, 443];

export function createFetcher(options: FetcherOptions): MetadataFetcher {
  const { limits, gateways, gate, replaceIds } = options;
  const client = new WebClient(options);

  async function fetchBytes(
    template: string,
    purpose: Purpose,
    request: FetchRequest,
  ): Promise<Result<Uint8Array, MetadataError>> {
    const target = resolveUri(template, { ...request, gateways, purpose });
    if (!target.ok) return target;
    if (target.value.kind === 'data') return withinLimit(target.value.bytes, purpose, limits);
    const failures: MetadataError[] = [];
    for (const source of healthyFirst(target.value.sources, gate)) {
      const response = await client.get(source, purpose, request.signal);
      if (response.ok || isAboutContent(response.error)) return response;
      failures.push(response.error);
    }
    return fail(mostHopeful(failures));
  }

  return {
    async fetchDocument(template, request) {
      const bytes = await fetchBytes(template, 'document', request);
      if (!bytes.ok) return bytes;
      const nameRequired = request.locale === undefined;
      return parseDocument(bytes.value, { limits, nameRequired, ...(replaceIds && { id: request.id }) });
    },
    fetchImage: (template, request) => fetchBytes(template, 'image', request),
  };
}

function withinLimit(bytes: Uint8Array, purpose: Purpose, limits: MetadataLimits): Result<Uint8Array, MetadataError> {
  const most = purpose === 'document' ? limits.documentBytes : limits.imageBytes;
  if (bytes.length <= most) return ok(bytes);
  return fail(metadataError(purpose, 'tooLarge', 'permanent', `data: URI of ${bytes.length} bytes`));
}

/** Gateways in their order, with those that failed several times in a row at the end. */
function healthyFirst(sources: readonly FetchSource[], gate: HostGate): readonly FetchSource[] {
  const isHealthy = ({ url }: FetchSource) => gate.healthy(new URL(url).host);
  return [...sources.filter(isHealthy), ...sources.filter(source => !isHealthy(source))];
}

/** The content is the same at every gateway: if it is too large at one, it is too large at all. */
const isAboutContent = ({ reason }: MetadataError): boolean =>
  reason === REASON.documentTooLarge || reason === REASON.imageTooLarge;

const HOPE = ['rate-limited', 'transient', 'slow-retry', 'permanent', 'blocked'];

/** The error, among those of several gateways, after which another attempt is most promising, and soonest. */
function mostHopeful(failures: readonly MetadataError[]): MetadataError {
  const [best] = [...failures].sort(
    (a, b) => HOPE.indexOf(a.kind) - HOPE.indexOf(b.kind) || (a.retryAfterMs ?? 0) - (b.retryAfterMs ?? 0),
  );
  return best ?? metadataError('document', 'unparsable', 'permanent', 'nowhere to fetch it from');
}
