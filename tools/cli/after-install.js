import { execSync } from 'node:child_process';
import { globSync, rmSync } from 'node:fs';
import { join } from 'node:path';

// What npm runs after an install. It is JavaScript, as npm may have been started with an older Node.js.
const root = join(import.meta.dirname, '../..');

/** 95 MB that nothing here reads: what other languages, native modules and the runtime Bare would need. */
const unused = [
  'node_modules/node/node_modules/*/include',
  'node_modules/aws-cdk-lib/.jsii.*',
  'node_modules/bare-*/prebuilds',
];
for (const path of globSync(unused, { cwd: root })) {
  rmSync(join(root, path), { recursive: true });
}

const runtime = join(root, 'packages/runner/test/runtime');
execSync(`npm ci --prefix "${runtime}" --ignore-scripts --no-audit --no-fund`, {
  stdio: 'inherit',
});
