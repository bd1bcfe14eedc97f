import { closeSync, openSync } from 'node:fs';
import { inject } from 'vitest';
import { makeDemo } from '../../tools/demo/demo.ts';
import type { DemoOrganization } from '../../tools/service/demo-organization.ts';
import { type Service, startService } from '../../tools/service/service.ts';
import { prepared } from './prepared.ts';

/** A service of its own with the data of a first start, as `npm run dev` has it. Its logs go to those of the whole suite. */
export interface DemoService {
  service: Service;
  /** The first one, of which the reference page tells. */
  organization: DemoOrganization;
  close(): Promise<void>;
}

export const startDemoService = async (): Promise<DemoService> => {
  const logs = openSync(inject('service').logFile, 'a');
  const service = await startService({
    prepared: await prepared(),
    storage: 'memory',
    port: 0,
    environmentsPerFunction: 1,
    sharesProcesses: true,
    logs,
  });
  const [organization] = (await makeDemo(service)).organizations as [DemoOrganization];
  service.reference.organization = organization;
  return {
    service,
    organization,
    async close() {
      await service.close();
      closeSync(logs);
    },
  };
};
