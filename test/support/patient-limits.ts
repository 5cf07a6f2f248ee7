import type { ServerLimits } from '../../src/api/http/server.ts';
import { PATIENCE_MS } from './until.ts';

/**
 * Limits of a server in a test: no time ends a request before the test gives up. A process that stands still, as on a busy machine, would find
 * its new connections too old when it goes on, before it reads what they sent.
 */
export const PATIENT_LIMITS = {
  maxWait: PATIENCE_MS,
  requestTimeout: PATIENCE_MS,
  connectionTimeout: PATIENCE_MS,
  throughputWindow: PATIENCE_MS,
  uploadWindow: PATIENCE_MS,
} satisfies Partial<ServerLimits>;
