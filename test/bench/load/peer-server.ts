import { fork } from 'node:child_process';
import { once } from 'node:events';
import { stop } from '@leads-and-stars/runner';
import { asEsm, bundled, peer } from '../speed/build.ts';
import type { Stage } from '../speed/stage.ts';

export interface PeerServer {
  url: string;
  close(): Promise<void>;
}

/** A server of `peers/servers` in a process of its own, straight before the engine of the stage. */
export const startPeer = async (
  { service, directory, environment }: Stage,
  name: string,
): Promise<PeerServer> => {
  const file = await bundled(peer(`servers/${name}`), directory, `server-${name}`, asEsm);
  const child = fork(file, {
    env: { ...environment, AWS_ENDPOINT_URL_DYNAMODB: service.tableEndpoint },
  });
  const [{ port }] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`${name} ended with ${code}`);
    }),
  ]);
  return { url: `http://127.0.0.1:${port}`, close: () => stop(child) };
};
