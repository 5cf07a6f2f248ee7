import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { type Api, createServer, type ServerLimits } from '../../src/api/http/server.ts';
import { PATIENT_LIMITS } from './patient-limits.ts';

/**
 * An API server without an index, for clients that send bytes of their own. It has the route `/small`, and those that `addRoutes` adds.
 * Its time limits are those of `PATIENT_LIMITS`, unless a test sets others.
 * @returns `open` connects from an address of loopback
 */
export async function listenRaw(
  t: Pick<TestContext, 'after'>,
  limits: Partial<ServerLimits>,
  addRoutes: (api: Api) => void = () => undefined,
) {
  const api = createServer({
    version: '0',
    tip: { current: () => undefined },
    limits: { ...PATIENT_LIMITS, ...limits },
  });
  addRoutes(api);
  api.get('/small', async () => '{}');
  await api.listen({ host: '127.0.0.1', port: 0 });
  const sockets: Socket[] = [];
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    await api.close();
  });
  const { port } = api.server.address() as AddressInfo;
  const open = async (localAddress = '127.0.0.1'): Promise<Socket> => {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    sockets.push(socket);
    socket.on('error', () => {});
    await once(socket, 'connect');
    return socket;
  };
  return { api, port, open };
}

/** The status of the next response. */
export async function nextStatus(socket: Socket): Promise<string | undefined> {
  const [first] = await once(socket.resume(), 'data');
  return String(first).split(' ')[1];
}
