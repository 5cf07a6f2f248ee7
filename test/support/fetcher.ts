import {
  createFetcher,
  DEFAULT_PORTS,
  type FetcherOptions,
  type MetadataFetcher,
} from '../../src/metadata/fetch/fetch-document.ts';
import { DEFAULT_GATEWAYS } from '../../src/metadata/fetch/gateways.ts';
import { createHostGate } from '../../src/metadata/fetch/host-gate.ts';
import { DEFAULT_METADATA_LIMITS, type MetadataLimits } from '../../src/metadata/limits.ts';
import { startHostileWeb } from './hostile-web.ts';

/** Time enough for a busy machine; tests about time set their own. */
const LIMITS: MetadataLimits = {
  ...DEFAULT_METADATA_LIMITS,
  documentMs: 60_000,
  connectMs: 30_000,
  hostRequestsPerSecond: 1000,
};

export interface FetcherSetting extends Partial<Omit<FetcherOptions, 'limits'>> {
  readonly limits?: Partial<MetadataLimits>;
}

/** A fetcher to which every name is at 127.0.0.1, and which may ask none of them: `allowHosts` says which it may. */
export function testFetcher({ limits: changed, ...more }: FetcherSetting = {}): MetadataFetcher {
  const limits = { ...LIMITS, ...changed };
  return createFetcher({
    limits,
    gateways: DEFAULT_GATEWAYS,
    allowHosts: [],
    allowPorts: DEFAULT_PORTS,
    gate: createHostGate({ limits }),
    version: '1.2.3',
    replaceIds: true,
    resolver: async () => [{ address: '127.0.0.1', family: 4 }],
    ...more,
  });
}

/** A hostile server, which its user closes, and fetches of its pages. */
export async function hostilePages() {
  const web = await startHostileWeb();
  const at = (path: string, host = 'web.example.org') => `http://${host}:${web.port}${path}`;
  /** Fetches a page of the server, which may be asked under the name web.example.org. */
  const fetchPage = async (path: string, setting: FetcherSetting = {}) => {
    const fetcher = testFetcher({ allowHosts: [`web.example.org:${web.port}`], ...setting });
    const before = web.requests.length;
    const result = await fetcher.fetchDocument(at(path), { id: '7' });
    return { ...outcome(result), requests: web.requests.length - before };
  };
  return { web, at, fetchPage };
}

export type HostilePages = Awaited<ReturnType<typeof hostilePages>>;

/** Value or error, for assertions on either. */
export function outcome<T, E>(result: { ok: true; value: T } | { ok: false; error: E }): { document?: T; error?: E } {
  return result.ok ? { document: result.value } : { error: result.error };
}
