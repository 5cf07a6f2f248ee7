/** Shows the progress of long work on stderr: a line that is redrawn on a terminal, else a new line every 5 seconds. */
export class ProgressBar {
  readonly #stream: NodeJS.WriteStream;
  readonly #label: string;
  readonly #start = Date.now();
  #drawnAt = 0;
  /** Progress when it was shown first: work that continues after a stop begins in the middle. */
  #began: { readonly share: number; readonly seconds: number } | undefined;

  constructor(label: string, stream: NodeJS.WriteStream = process.stderr) {
    this.#label = label;
    this.#stream = stream;
  }

  /**
   * Shows the progress. Without a terminal, only `finish` shows 100 %, so that a log has its last line once.
   * @param fraction 0 to 1
   * @param details such as `1200 events/s`
   */
  update(fraction: number, details: string): void {
    this.#began ??= { share: fraction, seconds: this.seconds };
    if (!this.#stream.isTTY && fraction >= 1) return;
    const now = Date.now();
    if (now - this.#drawnAt < (this.#stream.isTTY ? 100 : 5000)) return;
    this.#drawnAt = now;
    this.#draw(fraction, details);
  }

  finish(details: string): void {
    this.#draw(1, details);
    if (this.#stream.isTTY) this.#stream.write('\n');
  }

  /** Clears the line, for output that takes its place. */
  clear(): void {
    if (this.#stream.isTTY) this.#stream.write('\r\u001b[2K');
  }

  get seconds(): number {
    return (Date.now() - this.#start) / 1000;
  }

  #draw(fraction: number, details: string): void {
    const share = Math.min(Math.max(fraction, 0), 1);
    const began = this.#began ?? { share: 0, seconds: 0 };
    const done = share - began.share;
    const left =
      done > 0.01 && share < 1 ? ` · ${duration(((this.seconds - began.seconds) * (1 - share)) / done)} left` : '';
    const percent = `${Math.floor(share * 100)}%`.padStart(4);
    if (!this.#stream.isTTY) {
      this.#stream.write(`${this.#label} ${percent.trim()} · ${details}${left}\n`);
      return;
    }
    const filled = Math.round(share * 24);
    const bar = `${'█'.repeat(filled)}${'░'.repeat(24 - filled)}`;
    this.#stream.write(`\r\u001b[2K${this.#label} ${bar} ${percent} · ${details}${left}`);
  }
}

/** Work up to this many seconds is not shown. */
const UNSHOWN = 2;

/**
 * Shows the progress of the indexes that a fill makes at its end (operate/storage/late-indexes.ts), unless that is fast.
 * @returns `onLate`, and `end` to call after the last one
 */
export function lateIndexesBar(): { onLate(table: string, share: number): void; end(): void } {
  let bar: ProgressBar | undefined;
  return {
    onLate(table, share) {
      bar ??= new ProgressBar('indexes');
      if (bar.seconds > UNSHOWN) bar.update(share, table);
    },
    end: () => bar?.clear(),
  };
}

/** Seconds as `42 s`, `3 min 20 s` or `2 h 5 min`. */
export function duration(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}
