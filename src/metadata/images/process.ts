import { fail, ok, type Result } from '../../lib/result.ts';
import { type MetadataError, metadataError } from '../errors.ts';
import type { MetadataLimits } from '../limits.ts';
import { DecoderProcess } from './decoder-process.ts';

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
    const answer = await decoder.run({ bytes, limits }, limits.imageDecodeMs, signal);
    if (!answer.ok) return answer;
    const { image, thumbnail, ...size } = answer.value;
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
