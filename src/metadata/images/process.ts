import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { DeadlineError, withDeadline } from '../../lib/deadline.ts';
import { fail, ok, type Result } from '../../lib/result.ts';
import { type MetadataError, metadataError } from '../errors.ts';
import type { MetadataLimits } from '../limits.ts';

/** What is kept of an image: PNGs made anew, with nothing of the original in them but its pixels. */
export interface ProcessedImage {
  /** PNG, at most `limits.imageEdge` wide and high. */
  readonly image: Buffer;
  /** PNG, at most `limits.thumbnailWidth` wide. */
  readonly thumbnail: Buffer;
  /** Of `image`, in pixels. */
  readonly width: number;
  readonly height: number;
}

export interface ImageProcessor {
  /**
   * Decodes the first frame of a PNG, JPEG, GIF, WebP, AVIF or SVG, told by its content, and makes PNGs. Errors: 102 too many bytes,
   * pixels or too much memory; 104 took too long; 106 no such image. One image at a time, the others wait.
   * @throws the reason of the signal, when it is aborted
   */
  process(bytes: Uint8Array, signal?: AbortSignal): Promise<Result<ProcessedImage, MetadataError>>;
  /** Ends the process that decodes; an image that it has at the time fails. */
  close(): Promise<void>;
}

/** Images are decoded in a process of its own, under `limits`. Starts nothing before the first image. */
export function createImageProcessor(limits: MetadataLimits): ImageProcessor {
  const decoder = new DecoderProcess();
  let last: Promise<unknown> = Promise.resolve();

  async function decode(bytes: Uint8Array, signal?: AbortSignal): Promise<Result<ProcessedImage, MetadataError>> {
    signal?.throwIfAborted();
    const response = await decoder.run({ bytes, limits }, limits.imageDecodeMs, signal);
    if (!response.ok) return response;
    const { image, thumbnail, ...size } = response.value;
    return ok({ ...size, image: Buffer.from(image), thumbnail: Buffer.from(thumbnail) });
  }

  return {
    process(bytes, signal) {
      if (bytes.length > limits.imageBytes) {
        const error = metadataError('image', 'tooLarge', 'permanent', `${bytes.length} bytes`);
        return Promise.resolve(fail(error));
      }
      const mine = last.then(() => decode(bytes, signal));
      last = mine.catch(() => {});
      return mine;
    },
    close: () => decoder.end(),
  };
}

/** Sent to the decoder process, one at a time. */
export interface DecoderTask {
  readonly bytes: Uint8Array;
  readonly limits: MetadataLimits;
}
export type DecoderResponse = Result<RenderedImage, MetadataError>;

/** PNGs of an image, as the decoder process sends them. */
export interface RenderedImage {
  readonly image: Uint8Array;
  readonly thumbnail: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** The decoder process ends itself with this code when it needs more memory than it may have. */
export const OUT_OF_MEMORY = 77;

/** For the start of the process, beside the time for the image. */
const START_MS = 30_000;
const IDLE_MS = 30_000;
const HEAP_MB = 96;

/** The process ended without a response. */
class DecoderEndedError extends Error {
  override readonly name = 'DecoderEndedError';
  readonly code: number | null;
  constructor(code: number | null, signal: string | null) {
    super(`the decoder ended with ${signal ?? `code ${code}`}`);
    this.code = code;
  }
}

/** The one process that decodes images: started with the first of them, ended when it was idle for a while. */
export class DecoderProcess {
  #child: ChildProcess | undefined;
  #idle: NodeJS.Timeout | undefined;

  /**
   * Gives it a task. It must have no other. When it takes too long, or the signal is aborted, it is killed, and the next task has a new one.
   * @throws the reason of the signal, when it is aborted
   */
  async run(task: DecoderTask, ms: number, signal?: AbortSignal): Promise<DecoderResponse> {
    clearTimeout(this.#idle);
    const running = this.#child;
    const child = running ?? this.#start();
    try {
      return await withDeadline(running ? ms : START_MS + ms, signal, stop => ask(child, task, stop));
    } catch (error) {
      await this.end();
      signal?.throwIfAborted();
      return { ok: false, error: errorOf(error) };
    } finally {
      this.#idle = setTimeout(() => this.end(), IDLE_MS).unref();
    }
  }

  /** Kills it; resolves when it is gone. */
  async end(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    clearTimeout(this.#idle);
    if (!child?.pid || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  #start(): ChildProcess {
    const child = start();
    this.#child = child;
    const forget = () => {
      if (this.#child === child) this.#child = undefined;
    };
    child.once('exit', forget);
    child.once('error', forget);
    return child;
  }
}

function start(): ChildProcess {
  // The published package is JavaScript, a checkout runs as it is.
  const file = import.meta.url.endsWith('.ts') ? './decoder.ts' : './decoder.js';
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    execArgv: [`--max-old-space-size=${HEAP_MB}`],
    // Nothing of the configuration, which may have secrets in it.
    env: { PATH: process.env.PATH, SystemRoot: process.env.SystemRoot },
  });
  // It is no reason for this process to stay; a process that decodes has its deadline.
  child.unref();
  child.channel?.unref();
  return child;
}

async function ask(child: ChildProcess, task: DecoderTask, signal: AbortSignal): Promise<DecoderResponse> {
  const over = new AbortController();
  const listening = { signal: AbortSignal.any([signal, over.signal]) };
  const response = once(child, 'message', listening).then(([message]) => message);
  const ended = once(child, 'exit', listening).then(([code, killedBy]) => {
    throw new DecoderEndedError(code, killedBy);
  });
  child.send(task, () => {}); // what goes wrong with it shows as an exit
  try {
    return await Promise.race([response, ended]);
  } finally {
    over.abort();
  }
}

function errorOf(error: unknown): MetadataError {
  if (error instanceof DeadlineError) return metadataError('image', 'timeout', 'slow-retry', 'decoding took too long');
  if (error instanceof DecoderEndedError && error.code === OUT_OF_MEMORY)
    return metadataError('image', 'tooLarge', 'permanent', 'decoding takes too much memory');
  return metadataError('image', 'unparsable', 'slow-retry', error instanceof Error ? error.message : String(error));
}
