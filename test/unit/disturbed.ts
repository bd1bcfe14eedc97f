import { type EngineRequest, forward, startEngineProxy } from '../faults/engine-proxy.ts';
import { surroundings, withTableAt } from './support.ts';

/** The engine, with something that is done before a request arrives, and may keep it from arriving, and after it. */
export const disturbed = async (
  before: (request: EngineRequest) => Promise<unknown>,
  work: () => Promise<void>,
  after: (request: EngineRequest) => void = () => {},
): Promise<void> => {
  const proxy = await startEngineProxy(async (request) => {
    if ((await before(request)) === 'lost') return undefined;
    const reply = await forward(surroundings.tableEndpoint, request);
    after(request);
    return reply;
  });
  try {
    await withTableAt(proxy.endpoint, work);
  } finally {
    await proxy.close();
  }
};
