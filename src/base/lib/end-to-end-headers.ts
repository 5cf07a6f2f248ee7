import type { IncomingHttpHeaders } from 'node:http';

export type MessageHeaders = Readonly<Record<string, string | string[]>>;

/** Headers about one connection, not about the message (RFC 9110 7.6.1). */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
]);

/** The headers about the message. @param isDropped which of them are left out too */
export function endToEnd(
  headers: IncomingHttpHeaders,
  isDropped: (name: string) => boolean = () => false,
): MessageHeaders {
  const named = new Set(
    String(headers.connection ?? '')
      .split(',')
      .map(name => name.trim().toLowerCase()),
  );
  const kept: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || HOP_BY_HOP.has(name) || named.has(name) || isDropped(name)) continue;
    kept[name] = value;
  }
  return kept;
}
