import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { synthesize } from '../src/template/synthesis.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the app of these tests was synthesized into. */
    appDirectory: string;
  }
}

/** Synthesizes the app once, for all tests. */
export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  const directory = await mkdtemp(join(tmpdir(), 'runner-test-'));
  await synthesize(join(import.meta.dirname, 'app/app.ts'), directory, {});
  project.provide('appDirectory', directory);
  return () => rm(directory, { recursive: true });
};
