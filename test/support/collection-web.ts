import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import sharp from 'sharp';
import type { Deployment } from './node-stand-in.ts';

export interface CollectionWeb {
  /** An IPFS gateway: `http://127.0.0.1:<port>`. */
  readonly url: string;
  /** `127.0.0.1:<port>` */
  readonly host: string;
  close(): Promise<void>;
}

/** An IPFS gateway that has a document and a picture of every token of every collection: `/ipfs/NAME/ID.json`, `/ipfs/NAME/ID.png`. */
export async function startCollectionWeb(): Promise<CollectionWeb> {
  const server = createServer(async (request, response) => {
    const [, name = '', id = '', kind] = /^\/ipfs\/([\w-]+)\/(\d+)\.(json|png)$/.exec(request.url ?? '') ?? [];
    if (kind === 'json') send(response, 'application/json', JSON.stringify(documentOf(name, Number(id))));
    else if (kind === 'png') send(response, 'image/png', await pictureOf(Number(id)));
    else response.writeHead(404).end();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async () => {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  };
  return { url: `http://${host}`, host, close };
}

/**
 * The same contracts, but what they have at example.com, where there is nothing, is at the gateway: `https://example.com/NAME/{id}.json`
 * becomes `ipfs://NAME/{id}.json`.
 */
export const withContentAtGateway = (deployments: readonly Deployment[]): readonly Deployment[] =>
  deployments.map(deployment => ({
    ...deployment,
    source: deployment.source.replaceAll('"https://example.com/', '"ipfs://'),
  }));

const send = (response: ServerResponse, type: string, body: string | Buffer): unknown =>
  response.writeHead(200, { 'content-type': type }).end(body);

const SHAPES = ['circle', 'square', 'diamond'] as const;

const documentOf = (name: string, id: number) => ({
  sip: 16,
  name: `${name} #{id}`,
  description: `Token {id} of the collection ${name}`,
  image: `ipfs://${name}/{id}.png`,
  attributes: [
    { trait_type: 'shape', value: SHAPES[id % SHAPES.length] },
    { trait_type: 'hue', value: hueOf(id), display_type: 'number' },
  ],
  properties: { collection: name },
});

const hueOf = (id: number): number => (id * 47) % 360;

const BODIES: Readonly<Record<(typeof SHAPES)[number], string>> = {
  circle: '<circle cx="200" cy="200" r="120"/>',
  square: '<rect x="90" y="90" width="220" height="220"/>',
  diamond: '<path d="M200 70 L330 200 L200 330 L70 200 Z"/>',
};

function pictureOf(id: number): Promise<Buffer> {
  const shape = SHAPES[id % SHAPES.length] ?? 'circle';
  const hue = hueOf(id);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="400">
    <rect width="400" height="400" fill="hsl(${hue}, 60%, 90%)"/><g fill="hsl(${hue}, 60%, 45%)">${BODIES[shape]}</g></svg>`;
  return sharp(Buffer.from(svg)).png().toBuffer();
}
