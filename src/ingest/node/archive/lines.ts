import { AppError } from '../../../base/lib/app-error.ts';

const newline = 0x0a;

/** A line without its newline; `bytes` is undefined when it was longer than allowed. `line` counts from 1. */
export interface Line {
  readonly line: number;
  readonly bytes: Uint8Array | undefined;
  /** False only for a last line without a newline. */
  readonly ended: boolean;
}

/** A line this many times longer than allowed is no text: an attacker can make a compressed stream that never ends. */
const ENDLESS = 16;
const LEAST_ENDLESS = 64 * 1024 * 1024;

export class EndlessLine extends AppError {
  override readonly name = 'EndlessLine';
  override readonly kind = 'caller';

  constructor(line: number, bytes: number) {
    super(`line ${line} has more than ${bytes} bytes`);
  }
}

/** Cuts a stream of bytes into lines. Holds at most one line, and no part of a line that is too long. @throws EndlessLine */
export async function* splitLines(chunks: AsyncIterable<Buffer>, maxLineBytes: number): AsyncGenerator<Line> {
  let line = 1;
  let pending: Buffer[] = [];
  let length = 0;
  const take = (last: Buffer): Uint8Array | undefined => {
    const isTooLong = length + last.length > maxLineBytes;
    const parts = pending;
    pending = [];
    length = 0;
    if (isTooLong) return undefined;
    return parts.length === 0 ? last : Buffer.concat([...parts, last]);
  };

  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      yield { line: line++, bytes: take(chunk.subarray(start, end)), ended: true };
      start = end + 1;
    }
    const rest = chunk.subarray(start);
    length += rest.length;
    if (length > Math.max(ENDLESS * maxLineBytes, LEAST_ENDLESS)) throw new EndlessLine(line, length);
    if (length > maxLineBytes) pending = [];
    else if (rest.length > 0) pending.push(rest);
  }
  if (length > 0) yield { line, bytes: take(Buffer.alloc(0)), ended: false };
}
