/** What was seen of one attack, beside what is allowed. */
export interface Finding {
  readonly what: string;
  readonly worst: number;
  /** The worst that is allowed. */
  readonly bound: number;
  readonly unit: string;
  /** It follows from how long others had to wait: on a machine that is busy with other things it says nothing. */
  readonly isDelay?: true;
}

export const isWithin = ({ worst, bound }: Finding): boolean => worst <= bound;

/** Whether it speaks against the program: delays do only where the machine does nothing else. */
export const isFailure = (finding: Finding, { judgesDelays }: Size): boolean =>
  !isWithin(finding) && (judgesDelays || !finding.isDelay);

/** How much of each attack is made. */
export interface Size {
  readonly name: 'short' | 'full';
  /** How often an attack is made that comes out above a bound, which may be chance. */
  readonly tries: number;
  readonly judgesDelays: boolean;
  /** Clients that request pages meanwhile. */
  readonly bystanders: number;
  /** Blocks of the chain. */
  readonly blocks: number;
  /** How long floods go on, in milliseconds. */
  readonly floodMs: number;
  /** Requests before the first attack: at first the memory of a server grows with whatever it does. */
  readonly warmUp: number;
  readonly slowReaders: number;
  readonly strangers: number;
  readonly abortedDownloads: number;
  readonly mixedRequests: number;
  /** Width of pictures, and bytes of files. */
  readonly image: { readonly edge: number; readonly bytes: number };
  readonly hostileServers: number;
  readonly dataUriTokens: number;
  /** Transactions of a history that resuming streams search; all of them in few blocks. */
  readonly history: number;
  /** How long clients of several addresses use all doors at once, in milliseconds. */
  readonly mixedMs: number;
  /** Blocks of a fork that displaces others, and streams that are open meanwhile. */
  readonly fork: { readonly blocks: number; readonly streams: number };
  /** How long the server is left alone before its memory is looked at again, in milliseconds. */
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
