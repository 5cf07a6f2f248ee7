import { ApiError } from '../http/errors.ts';

/*
 * Errors of the faucets. `error` has the text of version 9 (docs/node-rpc.md#faucets); the log has the message of the
 * node or the wallet.
 */

/** 429: the address has reached its limit. */
export const tooManyGifts = (): ApiError => new ApiError(429, 'Too many requests');

/** 503: the node or the wallet that pays cannot be reached. */
export const faucetUnavailable = (): ApiError =>
  new ApiError(503, 'The node or the wallet that the faucet pays from cannot be reached', {
    code: 'FAUCET_UNAVAILABLE',
    reason: 'Faucet is temporarily unavailable, please try again later',
    retryAfter: 5,
  });

/** 503: the accounts have no funds. */
export const faucetEmpty = (): ApiError =>
  new ApiError(503, 'The faucet does not have enough left', {
    code: 'FAUCET_EMPTY',
    reason: 'The faucet is temporarily out of funds, please try again later',
    retryAfter: 60,
  });

/** 502: the transfer was rejected for another reason. */
export const faucetRefused = (): ApiError =>
  new ApiError(502, 'The transfer was rejected', {
    code: 'FAUCET_REFUSED',
    reason: 'Faucet request failed, please try again later',
  });
