import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isInternal, isRouted, loadOperations } from '../../infra/operations.ts';
import { runUntilStopped } from '../cli/run.ts';
import { brunoCollection } from './bruno.ts';
import { withCalls } from './calls.ts';
import { errorsPage } from './errors-page.ts';
import { generate } from './generate.ts';

const docs = join(import.meta.dirname, '../../docs');
const page = join(docs, 'api.md');

// What `npm run openapi` runs: the document, the collection that is made of it, the page of errors, and the
// table of calls.
await runUntilStopped(async () => {
  const text = await generate({
    logs: (name, { level, message }) => {
      if (level === 'ERROR') console.error(name, message);
    },
  });
  writeFileSync(join(docs, 'openapi.json'), text);
  const internal = (await loadOperations()).filter(isInternal).map(({ operation }) => operation);
  writeFileSync(join(docs, 'errors.md'), errorsPage(internal));
  const collection = join(docs, 'bruno');
  rmSync(collection, { recursive: true, force: true });
  for (const [name, content] of brunoCollection(JSON.parse(text))) {
    mkdirSync(dirname(join(collection, name)), { recursive: true });
    writeFileSync(join(collection, name), content);
  }
  const operations = (await loadOperations()).filter(isRouted).map((one) => one.operation);
  writeFileSync(page, withCalls(readFileSync(page, 'utf8'), operations));
  return undefined;
});
