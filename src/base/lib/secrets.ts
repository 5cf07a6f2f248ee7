import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares two texts in constant time, so that timing reveals nothing about the secret. */
export const isSameSecret = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));

const digest = (text: string): Uint8Array => createHash('sha256').update(text).digest();

/** Whether a request has `Authorization: Bearer SECRET`. */
export function showsSecret(headers: { readonly authorization?: string | undefined }, secret: string): boolean {
  const bearer = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1];
  return bearer !== undefined && isSameSecret(bearer, secret);
}
