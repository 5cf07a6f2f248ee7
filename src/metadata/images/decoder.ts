import { type DecoderResponse, type DecoderTask, OUT_OF_MEMORY, READY } from './process.ts';
import { render, restrictDecoder } from './render.ts';

/*
 * The program of the process that decodes images: the decoders are large libraries in C, and the images come from
 * strangers. `process.ts` starts, limits and kills it, and loses nothing when it crashes. Limits of the operating system
 * apply to the whole process; its own check of resident memory, below, ends it sooner, with a code for the reason.
 */

const MEMORY_CHECK_MS = 20;
let mostMemory = Number.POSITIVE_INFINITY;

restrictDecoder();
process.on('message', async ({ bytes, limits }: DecoderTask) => {
  mostMemory = limits.imageMemoryBytes;
  const result = await render(bytes, limits);
  const { user, system } = process.cpuUsage();
  const response: DecoderResponse = { result, cpuMs: (user + system) / 1000 };
  process.send?.(response);
});
// Without its parent the process is of no use. Images are decoded in other threads, so these two always get their turn.
process.on('disconnect', () => process.exit());
setInterval(() => {
  if (process.memoryUsage.rss() > mostMemory) process.exit(OUT_OF_MEMORY);
}, MEMORY_CHECK_MS);
process.send?.(READY);
