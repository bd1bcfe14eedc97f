import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runUntilStopped } from '../cli/run.ts';
import { brunoCollection } from './bruno.ts';
import { generate } from './generate.ts';

const docs = join(import.meta.dirname, '../../docs');

// What `npm run openapi` runs: the document, and the collection that is made of it.
await runUntilStopped(async () => {
  const text = await generate({
    logs: (name, { level, message }) => {
      if (level === 'ERROR') console.error(name, message);
    },
  });
  writeFileSync(join(docs, 'openapi.json'), text);
  const collection = join(docs, 'bruno');
  rmSync(collection, { recursive: true, force: true });
  for (const [name, content] of brunoCollection(JSON.parse(text))) {
    mkdirSync(dirname(join(collection, name)), { recursive: true });
    writeFileSync(join(collection, name), content);
  }
  return undefined;
});
