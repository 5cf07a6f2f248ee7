import { type DecoderTask, OUT_OF_MEMORY } from './process.ts';
import { render, restrictDecoder } from './render.ts';

/*
 * The program of the process that decodes images: the decoders are large libraries in C, and the images come from strangers. It is
 * started and killed by `decoder-process.ts`, which loses nothing when it crashes.
 */

const MEMORY_CHECK_MS = 20;
let mostMemory = Number.POSITIVE_INFINITY;

restrictDecoder();
process.on('message', async ({ bytes, limits }: DecoderTask) => {
  mostMemory = limits.imageMemoryBytes;
  process.send?.(await render(bytes, limits));
});
// Without its parent nobody needs the response. Images are decoded in other threads, so these two always get their turn.
process.on('disconnect', () => process.exit());
setInterval(() => {
  if (process.memoryUsage.rss() > mostMemory) process.exit(OUT_OF_MEMORY);
}, MEMORY_CHECK_MS);
