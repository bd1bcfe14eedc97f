// A cold start: `node probe.mjs BUNDLE EVENT`. As little as can be beside what is measured; in milliseconds since the
// process started. It is a module, as Lambda's own runtime is.
import { readFileSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';

const [, , bundle, eventFile] = process.argv;
const event = JSON.parse(readFileSync(eventFile, 'utf8'));
const said = [];
// Lambda takes a function's lines without the process waiting for them.
for (const level of ['debug', 'info', 'warn', 'error', 'log']) {
  console[level] = (...line) => said.push(line);
}
const context = {
  awsRequestId: '00000000-0000-4000-8000-000000000000',
  functionName: 'probe',
  memoryLimitInMB: '1024',
  invokedFunctionArn: 'arn:aws:lambda:us-east-1:000000000000:function:probe',
  getRemainingTimeInMillis: () => 11_000,
};
const require = createRequire(import.meta.url);
const { handler } = require(bundle);
handler(event, context).then(
  (answer) => {
    const answered = performance.now();
    const refused = answer?.statusCode >= 300 ? { answer, said } : undefined;
    writeSync(3, JSON.stringify({ answered, refused }));
    process.exit();
  },
  (error) => {
    writeSync(3, JSON.stringify({ refused: { error: error.stack, said } }));
    process.exit();
  },
);
