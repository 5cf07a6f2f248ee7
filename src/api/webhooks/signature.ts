import { createHmac } from 'node:crypto';

export const SIGNATURE_HEADER = 'X-Stacks-Index-Signature';

/** The header that shows that a body is ours, and when it was sent. @param seconds Unix time */
export function signatureOf(body: string, secret: string, seconds: number): string {
  const mac = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  return `t=${seconds},v1=${mac}`;
}
