/**
 * Measures the limit that no page can beat: `/SIZE` is a ready buffer. Two servers run on two ports: one is like the API's own, with its hooks and headers,
 * the other is Node's HTTP server with only a handler.
 */
import { createServer as createBareServer } from 'node:http';
import { bufferOf, createStaticServer } from './static-server.ts';

const [, , port, barePort] = process.argv;

await createStaticServer().listen({ host: '127.0.0.1', port: Number(port) });

createBareServer((request, response) => {
  const body = bufferOf(Number(request.url?.slice(1)));
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
}).listen(Number(barePort), '127.0.0.1');
