import type { PublishPlace } from '../../operate/copy/snapshot/publish.ts';
import { type Options, UsageError } from '../options/options.ts';
import { bucketPlace, directoryPlace } from './publish-place.ts';

/**
 * Where `snapshot publish` puts a snapshot.
 * @param target a directory, or `s3://BUCKET/PREFIX`
 * @throws UsageError for an s3:// URL that names no bucket, and without its keys
 */
export function publishPlaceOf(target: string, options: Options): PublishPlace {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(target)) return directoryPlace(target);
  const [, bucket, path = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w./-]*))?$/.exec(target) ?? [];
  if (bucket === undefined)
    throw new UsageError(
      `the target must be a directory or s3://BUCKET/PREFIX; it is ${JSON.stringify(target)}`,
      'snapshot',
    );
  const {
    s3AccessKey: accessKeyId,
    s3SecretKey: secretAccessKey,
    s3SessionToken,
    s3Region: region,
    s3Endpoint,
  } = options;
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new UsageError(
      'an s3:// target needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment',
      'snapshot',
    );
  return bucketPlace({
    ...{ endpoint: s3Endpoint ?? `https://s3.${region}.amazonaws.com`, bucket, region },
    prefix: path === '' || path.endsWith('/') ? path : `${path}/`,
    credentials: {
      accessKeyId,
      secretAccessKey,
      ...(s3SessionToken !== undefined && { sessionToken: s3SessionToken }),
    },
  });
}
