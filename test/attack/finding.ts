/** One measured figure of an attack, with its bound. */
export interface Finding {
  readonly what: string;
  readonly worst: number;
  /** The worst value that is allowed. */
  readonly bound: number;
  readonly unit: string;
  /** The figure depends on how long others waited, so it means nothing on a machine that is busy with other work. */
  readonly isDelay?: true;
}

export const isWithin = ({ worst, bound }: Finding): boolean => worst <= bound;

/** Whether a finding is a failure of the program. Delays count only on a machine without other work. */
export const isFailure = (finding: Finding, { judgesDelays }: Size): boolean =>
  !isWithin(finding) && (judgesDelays || !finding.isDelay);

/** The size of the attacks. */
export interface Size {
  readonly name: 'short' | 'full';
  /** How often an attack is tried at most: a figure above its bound may be chance, so the attack is repeated. */
  readonly tries: number;
  readonly judgesDelays: boolean;
  /** The number of clients that request pages during an attack. */
  readonly bystanders: number;
  /** Blocks of the chain. */
  readonly blocks: number;
  /** The duration of floods, in milliseconds. */
  readonly floodMs: number;
  /** The number of requests before the first attack, as the memory of a new server grows with any requests. */
  readonly warmUp: number;
  readonly slowReaders: number;
  readonly strangers: number;
  readonly abortedDownloads: number;
  readonly mixedRequests: number;
  /** Width of pictures, and bytes of files. */
  readonly image: { readonly edge: number; readonly bytes: number };
  readonly hostileServers: number;
  readonly dataUriTokens: number;
  /** The transactions of the history that resuming streams search, in few blocks. */
  readonly history: number;
  /** How long clients from several addresses use all interfaces at once, in milliseconds. */
  readonly mixedMs: number;
  /** The blocks of a fork that replaces others, and the streams that are open at that time. */
  readonly fork: { readonly blocks: number; readonly streams: number };
  /** How long the server gets no requests before its memory is measured again, in milliseconds. */
  readonly settleMs: number;
}

export const SIZES: Readonly<Record<Size['name'], Size>> = {
  short: {
    name: 'short',
    tries: 3,
    judgesDelays: false,
    bystanders: 1,
    blocks: 50,
    floodMs: 600,
    warmUp: 100,
    slowReaders: 100,
    strangers: 300,
    abortedDownloads: 300,
    mixedRequests: 1_000,
    image: { edge: 4_000, bytes: 200_000 },
    hostileServers: 20,
    dataUriTokens: 6,
    history: 1_000,
    mixedMs: 600,
    fork: { blocks: 500, streams: 100 },
    settleMs: 0,
  },
  full: {
    name: 'full',
    tries: 3,
    judgesDelays: true,
    bystanders: 8,
    blocks: 2_000,
    floodMs: 10_000,
    warmUp: 2_000,
    slowReaders: 1_000,
    strangers: 300,
    abortedDownloads: 50_000,
    mixedRequests: 200_000,
    image: { edge: 20_000, bytes: 9_900_000 },
    hostileServers: 400,
    dataUriTokens: 60,
    history: 20_000,
    mixedMs: 30_000,
    fork: { blocks: 5_000, streams: 1_000 },
    settleMs: 30_000,
  },
};
