import type { ServerResponse } from 'node:http';

/** Characters. A shorter text is sent in one piece with the head, which costs less than encoding it to a buffer. */
const SHORT_TEXT = 8192;
/** Bytes of a buffer: enough for 50 transactions. */
const BUFFER_SIZE = 128 * 1024;
/** Most buffers. When slow clients hold all of them, further responses get memory of their own. */
const MOST_BUFFERS = 32;

const encoder = new TextEncoder();

/**
 * Encodes texts into reused buffers. A response holds its buffer until the kernel has taken all of it; then the next response uses it.
 * Fresh memory for every body, and its garbage collection, would cost as much as reading the page from the database.
 */
export class BodyBuffers {
  readonly #free: Buffer[] = [];
  #made = 0;

  /**
   * The form in which to send a text: a short text itself, else its UTF-8 bytes. They are valid until the response has
   * finished.
   */
  encode(text: string, response: ServerResponse): string | Buffer {
    if (text.length < SHORT_TEXT) return text;
    const buffer = text.length > BUFFER_SIZE ? undefined : this.#take();
    if (buffer === undefined) return Buffer.from(text);
    const { read, written } = encoder.encodeInto(text, buffer);
    if (read < text.length) {
      this.#free.push(buffer);
      return Buffer.from(text);
    }
    response.once('close', () => {
      if (response.writableFinished) this.#free.push(buffer);
      // The buffer of an unfinished response may still be in use, so another one is allocated in its place.
      else this.#made--;
    });
    return buffer.subarray(0, written);
  }

  #take(): Buffer | undefined {
    const buffer = this.#free.pop();
    if (buffer !== undefined || this.#made >= MOST_BUFFERS) return buffer;
    this.#made++;
    return Buffer.allocUnsafeSlow(BUFFER_SIZE);
  }
}
