import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isRouted, loadOperations } from '../../infra/operations.ts';
import { runUntilStopped } from '../cli/run.ts';
import { brunoCollection } from './bruno.ts';
import { generate } from './generate.ts';
import { withCalls } from './readme.ts';

const docs = join(import.meta.dirname, '../../docs');
const readme = join(docs, '../README.md');

// What `npm run openapi` runs: the document, the collection that is made of it, and the README's table.
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
  const operations = (await loadOperations()).filter(isRouted).map((one) => one.operation);
  writeFileSync(readme, withCalls(readFileSync(readme, 'utf8'), operations));
  return undefined;
});
