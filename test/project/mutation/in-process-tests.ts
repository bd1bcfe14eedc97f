import { defineConfig } from 'vitest/config';
import { tags } from '../../setup/tags.ts';
import { QuickestFirst } from './quickest-first.ts';

/** Tests whose requests and invocations are answered in their own process, where the mutants are. */
export const inProcess = (tests: { include: string[]; exclude: string[] }) =>
  defineConfig({
    test: {
      ...tests,
      tags,
      setupFiles: ['test/setup/own-fakes.ts', 'test/project/mutation/in-process.ts'],
      globalSetup: 'test/setup/service.ts',
      testTimeout: 30_000,
      hookTimeout: 60_000,
      // Tests are found by their titles, some of which have the seed. What does not happen is noticed sooner.
      env: { SEED: '1', PATIENCE: '5000' },
      maxWorkers: 1,
      isolate: false,
      sequence: { sequencer: QuickestFirst },
    },
  });
