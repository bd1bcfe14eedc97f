import { isRouted, loadOperations } from '../../infra/operations.ts';
import { makeDemo, outsiderToken } from '../demo/demo.ts';
import { bundle } from '../service/bundles.ts';
import { givePatience } from '../service/patience.ts';
import { type ServiceOptions, startService } from '../service/service.ts';
import { openApiDocument } from './document.ts';
import { recordExamples } from './scenario.ts';

/** Runs the service with its demo data in memory, uses it, and describes it as a file's text. */
export const generate = async (
  options: Pick<ServiceOptions, 'logs' | 'prepared'> = {},
): Promise<string> => {
  const service = await startService({
    storage: 'memory',
    port: 0,
    environmentsPerFunction: 1,
    sharesProcesses: true,
    // Changes get their numbers where an example says so, and not at some moment.
    streamMappings: false,
    // By chance, examples would be more than an organization may ask.
    variables: { COUNT_ONE_REQUEST_IN: 'Infinity' },
    ...(!options.prepared && { bundles: bundle() }),
    ...options,
  });
  givePatience(service.assembly);
  try {
    const demo = await makeDemo(service);
    const outsider = await outsiderToken(service);
    const exchanges = await recordExamples(service, demo, outsider);
    const operations = (await loadOperations()).filter(isRouted).map((one) => one.operation);
    const document = openApiDocument(operations, exchanges);
    return `${JSON.stringify(document, null, 2)}\n`;
  } finally {
    await service.close();
  }
};
