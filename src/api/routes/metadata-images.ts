import { IMMUTABLE, type ImageStore, isImageName } from '../../metadata/images/store.ts';
import { IMAGES_PATH } from '../../metadata/source.ts';
import { notFound } from '../http/errors.ts';
import { text } from '../http/params.ts';
import type { Api } from '../http/server.ts';
import { Type } from '../http/type.ts';

/** No browser may run anything from an image, even if it guesses another type. */
const IMAGE_HEADERS = {
  'content-type': 'image/png',
  'cache-control': IMMUTABLE,
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
} as const;

/** Cached images of tokens, made by this program: always PNG. Without a store every image is a 404. */
export function addImageRoutes(api: Api, images: ImageStore | undefined): void {
  const params = Type.Object({ name: text('Name of the file.') });
  api.get(`${IMAGES_PATH}:name`, { schema: { params } }, async (request, reply) => {
    const { name } = request.params;
    const image = images && isImageName(name) ? await images.open(name) : undefined;
    if (!image) throw notFound('Image not found');
    return reply.headers({ ...IMAGE_HEADERS, 'content-length': image.length }).send(image.stream);
  });
}
