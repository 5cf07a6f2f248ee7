/** How a request or an option names a block of the chain (docs/past.md). */
export const BLOCK_NAME_PATTERN = '^([0-9]{1,15}|0x[a-fA-F0-9]{64}|burn:[0-9]{1,15}|time:[0-9]{1,15})$';

/** The same for people. */
export const BLOCK_NAME_FORMS = 'a height, an index block hash (0x and 64 hex digits), burn:HEIGHT or time:SECONDS';
