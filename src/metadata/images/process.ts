import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { AppError } from '../../base/lib/app-error.ts';
import { DeadlineError, withDeadline } from '../../base/lib/deadline.ts';
import { moduleBeside } from '../../base/lib/module-beside.ts';
import { fail, ok, type Result } from '../../base/lib/result.ts';
import { type MetadataError, metadataError } from '../errors.ts';
import type { MetadataLimits } from '../limits.ts';

/** The stored form of an image: new PNGs, with only the pixels of the original. */
export interface ProcessedImage {
  /** PNG, at most `limits.imageEdge` wide and high. */
  readonly image: Buffer;
  /** PNG, at most `limits.thumbnailWidth` wide. */
  readonly thumbnail: Buffer;
  /** Width of `image`, in pixels. */
  readonly width: number;
  readonly height: number;
}

export interface ImageProcessor {
  /**
   * Decodes the first frame of a PNG, JPEG, GIF, WebP, AVIF or SVG, recognised by its content, and makes PNGs. Errors:
   * 102 too many bytes, pixels or too much memory; 104 took too long; 106 no such image. Decodes one image at a time, the
   * others wait.
   * @param spent called with the milliseconds of decoding, whether it succeeded or not, without waiting time
   * @throws the reason of the signal, when it is aborted
   */
  process(
    bytes: Uint8Array,
    signal?: AbortSignal,
    spent?: (ms: number) => void,
  ): Promise<Result<ProcessedImage, MetadataError>>;
  /** Ends the decoder process; an image in progress fails. */
  close(): Promise<void>;
}

/** Decodes images in a process of its own, under `limits`. Starts no process before the first image. */
export function createImageProcessor(limits: MetadataLimits): ImageProcessor {
  const decoder = new DecoderProcess(limits);
  let last: Promise<unknown> = Promise.resolve();

  async function decode(bytes: Uint8Array, signal?: AbortSignal): Promise<Result<ProcessedImage, MetadataError>> {
    signal?.throwIfAborted();
    const response = await decoder.run(bytes, signal);
    if (!response.ok) return response;
    const { image, thumbnail, ...size } = response.value;
    return ok({ ...size, image: Buffer.from(image), thumbnail: Buffer.from(thumbnail) });
  }

  return {
    process(bytes, signal, spent) {
      if (bytes.length > limits.imageBytes) {
        const error = metadataError('image', 'tooLarge', 'permanent', `${bytes.length} bytes`);
        return Promise.resolve(fail(error));
      }
      const mine = last.then(async () => {
        const started = performance.now();
        return decode(bytes, signal).finally(() => spent?.(performance.now() - started));
      });
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
export interface DecoderResponse {
  readonly result: Result<RenderedImage, MetadataError>;
  /** CPU time of the process so far, of all its threads. */
  readonly cpuMs: number;
}

/** PNGs of an image, as the decoder process sends them. */
export interface RenderedImage {
  readonly image: Uint8Array;
  readonly thumbnail: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** The message of the decoder process when it can take tasks. */
export const READY = 'ready';
/** Exit code with which the decoder process ends itself when it exceeds its memory limit. */
export const OUT_OF_MEMORY = 77;

const START_MS = 30_000;
const IDLE_MS = 30_000;
const HEAP_MB = 96;
/**
 * Memory of the program itself before the first image: data, of which it uses a tenth, and address space, which
 * WebAssembly reserves and never uses. So the limit of data bounds memory; the limit of address space is a second
 * barrier.
 */
const [OWN_DATA_BYTES, OWN_ADDRESS_BYTES] = [768 * 1024 ** 2, 8 * 1024 ** 3];
/** A process is replaced when it has used its CPU limit divided by this number. */
const CPU_TIMES = 4;
/**
 * Signals that end a process when the system denies it memory: by abort, by a trap, or by access to memory that was not
 * allocated.
 */
const DENIED_MEMORY = new Set(['SIGABRT', 'SIGTRAP', 'SIGSEGV', 'SIGBUS']);

/** The process ended without a response. */
class DecoderEndedError extends AppError {
  override readonly name = 'DecoderEndedError';
  override readonly kind = 'caller';
  readonly exitCode: number | null;
  readonly signal: string | null;

  constructor(exitCode: number | null, signal: string | null) {
    super(`the decoder ended with ${signal ?? `code ${exitCode}`}`);
    this.exitCode = exitCode;
    this.signal = signal;
  }
}

/**
 * The shell commands that set hard limits of the operating system: data, address space, CPU seconds, and no core dumps.
 * They hold for all decoding, whichever library allocates memory; the process cannot raise them.
 */
export function limitCommands({ imageMemoryBytes, imageDecodeMs }: MetadataLimits): string {
  const kib = (bytes: number) => Math.ceil(bytes / 1024);
  const data = kib(OWN_DATA_BYTES + imageMemoryBytes);
  const address = kib(OWN_ADDRESS_BYTES + imageMemoryBytes);
  return `ulimit -c 0 && ulimit -d ${data} && ulimit -v ${address} && ulimit -t ${cpuSeconds(imageDecodeMs)}`;
}

const cpuSeconds = (imageDecodeMs: number): number => Math.ceil((CPU_TIMES * imageDecodeMs + START_MS) / 1000);

/** Whether the operating system can limit the memory and the CPU time of the decoder process: Linux can. */
export function canLimitDecoder(limits: MetadataLimits): boolean {
  return spawnSync('/bin/sh', ['-c', limitCommands(limits)], { stdio: 'ignore' }).status === 0;
}

/** The one process that decodes images: started with the first of them, ended when it was idle for a while. */
class DecoderProcess {
  readonly #limits: MetadataLimits;
  readonly #limited: boolean;
  #child: ChildProcess | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(limits: MetadataLimits) {
    this.#limits = limits;
    this.#limited = canLimitDecoder(limits);
  }

  /**
   * Sends the process an image; it must have no other. When it takes too long, or the signal is aborted, the process is killed, and the
   * next image gets a new one.
   * @throws the reason of the signal, when it is aborted
   */
  async run(bytes: Uint8Array, signal?: AbortSignal): Promise<DecoderResponse['result']> {
    const limits = this.#limits;
    clearTimeout(this.#idle);
    try {
      const child = this.#child ?? (await withDeadline(START_MS, signal, stop => this.#start(stop)));
      const task: DecoderTask = { bytes, limits };
      const { result, cpuMs } = await withDeadline(limits.imageDecodeMs, signal, stop => ask(child, task, stop));
      if (cpuMs > limits.imageDecodeMs) await this.end();
      return result;
    } catch (error) {
      await this.end();
      signal?.throwIfAborted();
      return fail(errorOf(error));
    } finally {
      this.#idle = setTimeout(() => this.end(), IDLE_MS).unref();
    }
  }

  /** Kills it; resolves when it has exited. */
  async end(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    clearTimeout(this.#idle);
    if (!child?.pid || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.ref();
    child.kill('SIGKILL');
    await exited;
  }

  async #start(stop: AbortSignal): Promise<ChildProcess> {
    const child = start(this.#limited ? limitCommands(this.#limits) : undefined);
    this.#child = child;
    const forget = () => {
      if (this.#child === child) this.#child = undefined;
    };
    child.once('exit', forget);
    child.once('error', forget);
    await nextMessage(child, stop);
    return child;
  }
}

function start(limits: string | undefined): ChildProcess {
  const program = [
    process.execPath,
    `--max-old-space-size=${HEAP_MB}`,
    // The trap handler would reserve another 4 GiB of address space.
    '--disable-wasm-trap-handler',
    fileURLToPath(moduleBeside('decoder', import.meta.url)),
  ];
  const [command = '', ...args] =
    limits === undefined ? program : ['/bin/sh', '-c', `${limits} && exec "$0" "$@"`, ...program];
  const child = spawn(command, args, {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // Not the whole environment, which may contain secrets.
    env: { PATH: process.env.PATH, SystemRoot: process.env.SystemRoot, UV_THREADPOOL_SIZE: '2', MALLOC_ARENA_MAX: '2' },
  });
  // Does not keep this process alive; decoding has its own deadline.
  child.unref();
  child.channel?.unref();
  return child;
}

async function ask(child: ChildProcess, task: DecoderTask, stop: AbortSignal): Promise<DecoderResponse> {
  const response = nextMessage(child, stop);
  child.send(task, () => {}); // a failure to send shows as an exit
  return (await response) as DecoderResponse;
}

/** The next message of the process. @throws DecoderEndedError; the reason of the signal */
async function nextMessage(child: ChildProcess, stop: AbortSignal): Promise<unknown> {
  const over = new AbortController();
  const listening = { signal: AbortSignal.any([stop, over.signal]) };
  const message = once(child, 'message', listening).then(([first]) => first);
  const ended = once(child, 'exit', listening).then(([code, signal]) => {
    throw new DecoderEndedError(code, signal);
  });
  try {
    return await Promise.race([message, ended]);
  } finally {
    over.abort();
    message.catch(() => undefined);
    ended.catch(() => undefined);
  }
}

function errorOf(error: unknown): MetadataError {
  if (error instanceof DeadlineError) return metadataError('image', 'timeout', 'slow-retry', 'decoding took too long');
  if (error instanceof DecoderEndedError) {
    if (error.exitCode === OUT_OF_MEMORY || DENIED_MEMORY.has(error.signal ?? ''))
      return metadataError('image', 'tooLarge', 'permanent', 'decoding takes too much memory');
    if (error.signal === 'SIGXCPU') return metadataError('image', 'timeout', 'slow-retry', 'decoding took too long');
  }
  return metadataError('image', 'unparsable', 'slow-retry', error instanceof Error ? error.message : String(error));
}
