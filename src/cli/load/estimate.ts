/** Milliseconds of the past that an estimate considers: skipping known rows at the beginning is faster than loading. */
const WINDOW_MS = 5 * 60_000;
/** Milliseconds between two samples, and before the first estimate. */
const SAMPLE_MS = 2_000;

interface Sample {
  readonly at: number;
  readonly bytes: number;
}

/** Estimates when reading an archive will end, from the bytes of the last minutes. */
export class LoadEstimate {
  #samples: readonly Sample[] = [];

  /**
   * @param bytesTotal 0 while it is unknown
   * @param now milliseconds since 1970
   * @returns milliseconds since 1970; null if too little is known
   */
  endOf(bytesRead: number, bytesTotal: number, now: number): number | null {
    const recent = this.#samples.filter(({ at }) => now - at <= WINDOW_MS);
    const [oldest] = recent;
    const last = recent.at(-1);
    this.#samples = !last || now - last.at >= SAMPLE_MS ? [...recent, { at: now, bytes: bytesRead }] : recent;
    if (!oldest || bytesTotal === 0 || now - oldest.at < SAMPLE_MS || bytesRead <= oldest.bytes) return null;
    const msPerByte = (now - oldest.at) / (bytesRead - oldest.bytes);
    return Math.round(now + Math.max(bytesTotal - bytesRead, 0) * msPerByte);
  }
}
