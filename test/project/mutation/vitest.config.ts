import { defineConfig } from 'vitest/config';
import { tags } from '../../setup/tags.ts';
import { area } from './areas.ts';
import { QuickestFirst } from './quickest-first.ts';

const { tests, except = [], around } = area();

const globalSetup = {
  nothing: [],
  'a table': ['test/setup/surroundings.ts'],
  'the service': ['test/setup/service.ts'],
}[around];
const inProcess = around === 'the service' ? ['test/project/mutation/in-process.ts'] : [];

/** An area's tests. Requests and invocations are answered in their own process, where the mutants are. */
export default defineConfig({
  test: {
    include: tests,
    exclude: except,
    tags,
    // They take more time than mutants.
    ...(around !== 'the service' && { tagsFilter: ['!long'] }),
    setupFiles: ['test/setup/own-fakes.ts', ...inProcess],
    globalSetup,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Tests are found by their titles, some of which have the seed. What does not happen is noticed sooner.
    env: { SEED: '1', PATIENCE: '5000' },
    maxWorkers: 1,
    isolate: false,
    sequence: { sequencer: QuickestFirst },
  },
});
