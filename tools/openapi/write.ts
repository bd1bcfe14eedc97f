import { execSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { isRouted, loadOperations } from '../../infra/operations.ts';
import { runToEnd } from '../cli/run.ts';
import { withCalls } from './calls.ts';
import { errorsPage } from './errors-page.ts';
import { generate } from './generator.ts';
import { withItems } from './items.ts';
import { toolSchemas } from './tool-schemas.ts';

const root = join(import.meta.dirname, '../..');
const docs = join(root, 'docs');
const page = join(docs, 'api.md');
const architecture = join(docs, 'architecture.md');

new Command('npm run openapi')
  .description(
    'Starts a copy of the service and writes what is generated of its operations: docs/openapi.json, ' +
      'docs/errors.md, the table of calls in docs/api.md, the items in docs/architecture.md, ' +
      'packages/client/src/schema.ts, and lib/agents/schemas.ts.',
  )
  .parse();

await runToEnd(async () => {
  writeFileSync(join(root, 'lib/agents/schemas.ts'), toolSchemas());
  const text = await generate({
    logs: (name, { level, message }) => {
      if (level === 'ERROR') console.error(name, message);
    },
  });
  writeFileSync(join(docs, 'openapi.json'), text);
  writeFileSync(join(docs, 'errors.md'), errorsPage);
  const operations = (await loadOperations()).filter(isRouted).map((one) => one.operation);
  writeFileSync(page, withCalls(readFileSync(page, 'utf8'), operations));
  writeFileSync(architecture, await withItems(readFileSync(architecture, 'utf8')));
  execSync('npm run --workspace packages/client generate', { cwd: root, stdio: 'inherit' });
});
