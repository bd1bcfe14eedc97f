// A process that is warm: `node probe-warm.cjs BUNDLE EXPORT EVENTS WARM_UP`. Microseconds of processor
// time for each event after the first ones.
const { readFileSync, writeSync } = require('node:fs');
const [, , bundle, exported, eventsFile, warmUp] = process.argv;
const events = JSON.parse(readFileSync(eventsFile, 'utf8'));
for (const level of ['debug', 'info', 'warn', 'error', 'log']) console[level] = () => {};
const handler = require(bundle)[exported];
const context = {
  awsRequestId: '00000000-0000-4000-8000-000000000000',
  getRemainingTimeInMillis: () => 11_000,
};

const run = async () => {
  let before;
  for (let i = 0; i < events.length; i++) {
    if (i === Number(warmUp)) before = process.cpuUsage();
    const { statusCode, body } = await handler(events[i], context);
    if (statusCode >= 300) throw new Error(`${statusCode} ${body}`);
  }
  const { user, system } = process.cpuUsage(before);
  return { microseconds: (user + system) / (events.length - warmUp) };
};

run().then(
  (measured) => {
    writeSync(3, JSON.stringify(measured));
    process.exit();
  },
  (error) => {
    writeSync(3, JSON.stringify({ refused: error.stack }));
    process.exit();
  },
);
