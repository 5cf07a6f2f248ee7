import { HttpFile, type HttpFileOptions, publishedSha256 } from '../../base/net/http-file.ts';
import { shownUrl } from '../../base/net/http-file-error.ts';
import { type ReadArchiveOptions, readArchive } from '../../ingest/node/archive/read.ts';
import type { ArchiveRow } from '../../ingest/node/archive/row.ts';
import { type CommandName, UsageError } from '../options/option-spec.ts';
import type { Options } from '../options/options.ts';
import { VERSION } from '../version.ts';
import type { Proof, ReplaySource } from './source.ts';

/** Least compressed bytes between two points at which a later reading may begin. */
const RESTART_BYTES = 4 * 1024 * 1024;

interface UrlParts extends Pick<HttpFileOptions, 'signal' | 'onRetry'> {
  /** RESTART_BYTES if not set. */
  readonly restartBytes?: number | undefined;
}

/** @throws UsageError if an operand is no URL */
export function urlOf(operand: string, command: CommandName): URL {
  const url = URL.parse(operand);
  if (!url) throw new UsageError(`${JSON.stringify(operand)} is not a URL`, command);
  return url;
}

/**
 * An archive on an HTTP server (docs/mainnet.md). It is read as a stream and not stored. The SHA-256 that is published beside it, at the same URL with `.sha256`
 * behind the path, counts when every byte was read.
 * @throws UsageError if this is no URL
 */
export function urlSource(
  text: string,
  limits: ReadArchiveOptions,
  { allowPrivate }: Pick<Options, 'allowPrivate'>,
  { signal, onRetry, restartBytes = RESTART_BYTES }: UrlParts,
): ReplaySource {
  const url = urlOf(text, 'replay');
  const options: HttpFileOptions = { signal, allowPrivate, version: VERSION, onRetry };
  const file = new HttpFile(url, options);
  let published: string | undefined;
  async function* chunks() {
    published = await publishedSha256(url, options);
    yield* file.chunks();
  }
  const restarts = { start: () => file.startedAt, apart: restartBytes };
  async function* rows(): AsyncGenerator<ArchiveRow> {
    try {
      yield* readArchive({ name: shownUrl(url), chunks }, { ...limits, restarts });
    } catch (error) {
      // After the signal, a cut-off stream is no damage.
      if (!signal.aborted) throw error;
    }
  }
  return {
    name: shownUrl(url),
    progress: file,
    file,
    isReadOnce: true,
    rows,
    proof: () => proofOf(file.sha256, published),
  };
}

function proofOf(found: string | undefined, published: string | undefined): Proof {
  if (published === undefined) return { kind: 'unchecked', reason: 'none is published beside the archive' };
  if (found === undefined) return { kind: 'unchecked', reason: 'not every byte of the archive was read' };
  if (found === published) return { kind: 'proven', sha256: found };
  return { kind: 'wrong', reason: `its SHA-256 is ${found}, and the published one is ${published}` };
}
