import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** A key of minisign, and how it signs. */
export function minisigner() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const id = randomBytes(8);
  const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
  return {
    text: Buffer.concat([Buffer.from('Ed'), id, raw]).toString('base64'),
    sign(file: Buffer): string {
      const own = sign(null, createHash('blake2b512').update(file).digest(), privateKey);
      const first = Buffer.concat([Buffer.from('ED'), id, own]).toString('base64');
      const last = sign(null, Buffer.concat([own, Buffer.from('made')]), privateKey).toString('base64');
      return `untrusted comment: of a test\n${first}\ntrusted comment: made\n${last}\n`;
    },
  };
}
