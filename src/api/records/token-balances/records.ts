import type { TokenSums } from './queries.ts';

/** The tokens of a principal as getAccountBalance serves them, by asset identifier. */
export function tokensByAsset(tokens: readonly TokenSums[]) {
  const of = <T>(kind: string, record: (token: TokenSums) => T): Record<string, T> =>
    Object.fromEntries(tokens.filter(token => token.kind === kind).map(token => [token.token, record(token)]));
  return {
    fungible_tokens: of('ft', token => ({ balance: left(token), ...totals(token) })),
    non_fungible_tokens: of('nft', token => ({ count: left(token), ...totals(token) })),
  };
}

const left = ({ received, sent }: TokenSums): string => String(received - sent);

const totals = ({ received, sent }: TokenSums) => ({ total_sent: String(sent), total_received: String(received) });
