import { existsSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { PATIENCE_MS } from '../support/until.ts';

/** Where Linux distributions and macOS put Chromium; CHROMIUM names another place. */
const PLACES = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

export const chromiumPath = PLACES.find(path => path !== undefined && existsSync(path));

/** Why tests in a browser are skipped; false where they are not. */
export const noBrowser = chromiumPath === undefined && 'no Chromium is installed (CHROMIUM may name one)';

export const launch = (): Promise<Browser> =>
  chromium.launch({ ...(chromiumPath && { executablePath: chromiumPath }), args: ['--no-sandbox'] });

/** A tab, and what it complained of: errors of scripts, breaches of the policy, requests that failed or went elsewhere. */
export interface Tab {
  readonly page: Page;
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

export async function openTab(browser: Browser, origin: string, options: BrowserContextOptions = {}): Promise<Tab> {
  const context = await browser.newContext({ baseURL: origin, ...options });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', error => complaints.push(error.message));
  page.on('console', message => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('request', asked => {
    if (new URL(asked.url()).origin !== origin) complaints.push(`asked another host: ${asked.url()}`);
  });
  return { page, complaints, close: () => context.close() };
}

/** A proxy that serves another server under a prefix without informing it. @returns its origin */
export async function startPrefixProxy(port: number, prefix: string): Promise<{ origin: string; close(): void }> {
  const server = createServer((incoming, response) => {
    if (!incoming.url?.startsWith(`${prefix}/`)) {
      response.writeHead(418).end();
      return;
    }
    const { method, headers } = incoming;
    const path = incoming.url.slice(prefix.length);
    const forwarded = request({ port, host: '127.0.0.1', method, path, headers }, reply => {
      response.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    response.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}
