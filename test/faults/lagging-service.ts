import { Processes, startEngine } from '@leads-and-stars/runner';
import { type FaultyService, startFaultyService } from '../support/faults/faulty-service.ts';
import { ReplicaLag } from '../support/faults/replica-lag.ts';
import { prepared } from '../support/prepared.ts';
import { Settings } from './setting.ts';

/** A service whose indexes, and reads that are not asked to be consistent, may be behind, on a table of its own. */
export class LaggingService {
  readonly store: ReplicaLag;
  readonly faulty: FaultyService;
  readonly settings: Settings;
  readonly #processes: Processes;

  private constructor(processes: Processes, store: ReplicaLag, faulty: FaultyService) {
    this.#processes = processes;
    this.store = store;
    this.faulty = faulty;
    this.settings = new Settings(faulty);
  }

  static async start(): Promise<LaggingService> {
    const processes = new Processes();
    try {
      const store = new ReplicaLag(await startEngine(processes, 'memory'));
      const faulty = await startFaultyService(await prepared(), {
        steps: [store.step],
        sharesProcesses: true,
        isPatient: true,
      });
      return new LaggingService(processes, store, faulty);
    } catch (error) {
      await processes.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    console.info(`${this.store.staleReads} reads were stale`);
    await this.faulty.close();
    await this.#processes.close();
  }
}
