import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runUntilStopped } from '../local/run.ts';
import { generate } from './generate.ts';

// What `npm run openapi` runs.
await runUntilStopped(async () => {
  const text = await generate();
  writeFileSync(join(import.meta.dirname, '../../docs/openapi.json'), text);
  return undefined;
});
