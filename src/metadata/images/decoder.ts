import type { Result } from '../../lib/result.ts';
import type { MetadataError } from '../errors.ts';
import type { MetadataLimits } from '../limits.ts';
import { OUT_OF_MEMORY } from './exit-codes.ts';
import { type RenderedImage, render, restrictDecoder } from './render.ts';

/*
 * The program of the process that decodes images: the decoders are large libraries in C, and the images come from strangers. It is
 * started and killed by `decoder-process.ts`, which loses nothing when it crashes.
 */

/** What is sent to it, one at a time, and what it answers. */
export interface DecoderTask {
  readonly bytes: Uint8Array;
  readonly limits: MetadataLimits;
}
export type DecoderAnswer = Result<RenderedImage, MetadataError>;

const MEMORY_CHECK_MS = 20;
let mostMemory = Number.POSITIVE_INFINITY;

restrictDecoder();
process.on('message', async ({ bytes, limits }: DecoderTask) => {
  mostMemory = limits.imageMemoryBytes;
  process.send?.(await render(bytes, limits));
});
// Without its parent nobody wants the answer. Images are decoded in other threads, so these two always get their turn.
process.on('disconnect', () => process.exit());
setInterval(() => {
  if (process.memoryUsage.rss() > mostMemory) process.exit(OUT_OF_MEMORY);
}, MEMORY_CHECK_MS);
