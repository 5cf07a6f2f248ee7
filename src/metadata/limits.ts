/**
 * Limits on the metadata of one token. Every number is configurable. Contracts choose what is fetched, so every cost has a
 * limit.
 */
export interface MetadataLimits {
  /** Bytes of a metadata document, on the wire and decoded. */
  readonly documentBytes: number;
  /** Above this many bytes only strict JSON is read; JSON5 is slow. */
  readonly json5Bytes: number;
  /** Levels of objects and arrays in a document. */
  readonly depth: number;
  /** Values in a document, whatever they are. */
  readonly nodes: number;
  readonly attributes: number;
  readonly properties: number;
  /** Characters of a string in a document; longer strings are cut. */
  readonly stringLength: number;
  /** Characters of the URI of an image, which may be a `data:` URI; a longer one is no image. */
  readonly imageUriLength: number;
  /** Locales of a document; further ones are ignored. */
  readonly locales: number;
  /** Bytes of an image, on the wire and decoded. */
  readonly imageBytes: number;
  /** Width times height of an image, before any of it is decoded. */
  readonly imagePixels: number;
  /** Largest width and height of a stored image: larger images are scaled down to it. */
  readonly imageEdge: number;
  /** Bytes of a stored PNG: a larger one is scaled down. */
  readonly storedImageBytes: number;
  readonly thumbnailWidth: number;
  /** From the first byte of an image in the decoder to the last of its PNGs; the decoder is killed then. */
  readonly imageDecodeMs: number;
  /** Resident bytes of the process that decodes images. */
  readonly imageMemoryBytes: number;
  /** The whole exchange of a document or an image: name, connection, redirects, body. One such time per gateway. */
  readonly documentMs: number;
  readonly imageMs: number;
  /** Limit for establishing the connection, TLS included. */
  readonly connectMs: number;
  readonly redirects: number;
  /** Most decoded bytes per byte on the wire, once there are more than `inflatedBytes`. */
  readonly inflation: number;
  readonly inflatedBytes: number;
  /** Upper bound of a host's `Retry-After`, and the default without one. */
  readonly retryAfterMs: number;
  readonly defaultRetryAfterMs: number;
  /** To one host: concurrent requests, and new requests per second. */
  readonly hostConcurrency: number;
  readonly hostRequestsPerSecond: number;
  /** Longest wait of a request for its turn at a host; then its job is postponed. */
  readonly hostWaitMs: number;
}

export const DEFAULT_METADATA_LIMITS: MetadataLimits = {
  documentBytes: 1_000_000,
  json5Bytes: 256 * 1024,
  depth: 32,
  nodes: 50_000,
  attributes: 500,
  properties: 500,
  stringLength: 64 * 1024,
  imageUriLength: 256 * 1024,
  locales: 20,
  imageBytes: 10_000_000,
  imagePixels: 40_000_000,
  imageEdge: 2048,
  storedImageBytes: 2_000_000,
  thumbnailWidth: 300,
  imageDecodeMs: 20_000,
  imageMemoryBytes: 768 * 1024 * 1024,
  documentMs: 15_000,
  imageMs: 30_000,
  connectMs: 5_000,
  redirects: 5,
  inflation: 20,
  inflatedBytes: 64 * 1024,
  retryAfterMs: 3_600_000,
  defaultRetryAfterMs: 60_000,
  hostConcurrency: 2,
  hostRequestsPerSecond: 5,
  hostWaitMs: 10_000,
};
