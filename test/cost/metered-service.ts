import type { Processes } from '@leads-and-stars/runner';
import type { Prepared } from '../../tools/service/service.ts';
import { type FaultyService, startFaultyService } from '../support/faults/faulty-service.ts';
import { RequestMeter } from '../support/faults/request-meter.ts';

/** A whole service over an engine whose every request is metered. */
export interface MeteredService extends FaultyService {
  meter: RequestMeter;
}

interface Options {
  /** Starts an engine of one's own, with what is in it already. */
  makeEngine?: (processes: Processes) => Promise<string>;
  prepared?: Prepared;
}

export const startMeteredService = async ({
  prepared,
  ...options
}: Options = {}): Promise<MeteredService> => {
  const meter = new RequestMeter();
  const faulty = await startFaultyService(prepared, {
    ...options,
    steps: [meter.step],
    environmentsPerFunction: 1,
    sharesProcesses: true,
    // What the stream's functions do is not part of a call.
    isNumbered: false,
    isPatient: true,
  });
  return { ...faulty, meter };
};
