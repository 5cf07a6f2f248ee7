import { HttpFile } from '../../base/net/http-file.ts';
import { isWithoutRanges, shownUrl } from '../../base/net/http-file-error.ts';
import { fileChunks } from '../../ingest/node/archive/decompress.ts';
import { type Options, UsageError } from '../options/options.ts';
import { sayRetry } from '../replay/source.ts';
import { isReadOnce, isUrl } from '../replay/sources.ts';
import { urlOf } from '../replay/url.ts';
import { VERSION } from '../version.ts';
import type { SampledFile } from './sampling.ts';

/** @throws UsageError for a source without parts: standard input, a pipe, a database */
export function sampledFile(operand: string, options: Pick<Options, 'allowPrivate'>, signal: AbortSignal): SampledFile {
  if (isUrl(operand)) return fileOfUrl(operand, options, signal);
  if (operand === '-' || isReadOnce(operand) || /^postgres(ql)?:/.test(operand))
    throw new UsageError('estimate reads parts of a file, or of an http:// or https:// URL', 'estimate');
  const progress = { bytesRead: 0, bytesTotal: 0 };
  return {
    name: operand,
    from: start => fileChunks(operand, progress, start),
    bytesTotal: () => progress.bytesTotal,
    hasParts: async () => true,
  };
}

function fileOfUrl(text: string, { allowPrivate }: Pick<Options, 'allowPrivate'>, signal: AbortSignal): SampledFile {
  const url = urlOf(text, 'estimate');
  const whole = new HttpFile(url, { signal, allowPrivate, version: VERSION, onRetry: sayRetry });
  return {
    // With its ending, which decides the compression, and without what may be a key.
    name: shownUrl(url),
    from: start => (whole.bytesRead === 0 ? whole : whole.from(start)).chunks(),
    bytesTotal: () => whole.bytesTotal,
    hasParts: async () => {
      try {
        for await (const _ of whole.from(1).chunks()) return true;
        return true;
      } catch (error) {
        if (isWithoutRanges(error)) return false;
        throw error;
      }
    },
  };
}
