import { type LogPosition, tokenOf } from './token.ts';

/** How much of a transaction or event a client gets: the whole record, or only its identifiers. */
export const PAYLOADS = ['full', 'ref'] as const;
export type PayloadDetail = (typeof PAYLOADS)[number];

type EventName =
  | 'block'
  | 'burn-block'
  | 'tx'
  | 'principal-tx'
  | 'contract-log'
  | 'ft'
  | 'nft'
  | 'balance'
  | 'block-end'
  | 'rollback'
  | 'mempool'
  | 'mempool-drop'
  | 'gap'
  /** Only the older channels send the next two. */
  | 'undone'
  | 'microblock';

interface Described {
  readonly event: EventName;
  /** The topics whose listeners get it. */
  readonly keys: readonly string[];
  /** The two forms as JSON texts; without `ref` both are the same. */
  readonly full: () => string;
  readonly ref?: () => string;
  /** The payload of the older channels; undefined for events that they do not send. */
  readonly v1?: () => string;
  /** Whether clients get the short form unless they request the full one. */
  readonly briefly?: boolean;
}

/** One event of the log. Each of its texts is made once, however many clients get it. */
export class LogEntry {
  readonly place: LogPosition;
  readonly id: string;
  readonly event: EventName;
  readonly keys: readonly string[];
  readonly #described: Described;
  readonly #texts = new Map<PayloadDetail, string>();
  readonly #frames = new Map<PayloadDetail, Buffer>();
  #v1: string | undefined;

  /** @param suffix for the id of an event without a place of its own */
  constructor(place: LogPosition, described: Described, suffix = '') {
    this.place = place;
    this.id = tokenOf(place) + suffix;
    this.event = described.event;
    this.keys = described.keys;
    this.#described = described;
  }

  /** The data as JSON text. @param detail undefined: the usual form for this event */
  data(detail: PayloadDetail | undefined): string {
    const payload = this.#payload(detail);
    const { full, ref = full } = this.#described;
    const text = this.#texts.get(payload) ?? (payload === 'full' ? full() : ref());
    this.#texts.set(payload, text);
    return text;
  }

  /** The payload of the older channels, as JSON text. */
  v1(): string | undefined {
    this.#v1 ??= this.#described.v1?.();
    return this.#v1;
  }

  /** The bytes of the server-sent event (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
  frame(detail: PayloadDetail | undefined): Buffer {
    const payload = this.#payload(detail);
    const frame = this.#frames.get(payload) ?? Buffer.from(frameText(this.event, this.data(payload), this.id));
    this.#frames.set(payload, frame);
    return frame;
  }

  #payload(detail: PayloadDetail | undefined): PayloadDetail {
    return detail ?? (this.#described.briefly ? 'ref' : 'full');
  }
}

/** One server-sent event. @param data without line breaks */
export const frameText = (event: string, data: string, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`;
