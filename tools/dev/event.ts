import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { CliError, credentials, region } from '@leads-and-stars/runner';
import * as z from 'zod/mini';
import { walletEvent, walletEventTypes } from '../../lib/billing/rules/wallet-events.ts';
import { issueDetails } from '../../lib/schema/issues.ts';
import { runToEnd } from '../cli/run.ts';
import { runningService, wantedOf, wantedOptions, wantedUsage } from './running-service.ts';

const usage = `npm run event -- TYPE --organization ID [fields]

Sends an event of billing to the service that \`npm run dev\` runs, and prints it.

Types: ${walletEventTypes.join(', ')}
Fields: --event-id (default: a new one) --stars --tier --status --current-period-end
        --monthly-grant-stars --subscription-id --occurred-at --expires-at --refunds
        --monthly-change --pack-change --reason

${wantedUsage}
  --help              show this`;

const numbers = ['stars', 'monthly-grant-stars', 'monthly-change', 'pack-change'] as const;
const texts = [
  'tier',
  'status',
  'current-period-end',
  'subscription-id',
  'occurred-at',
  'expires-at',
  'refunds',
  'reason',
] as const;

const option = { type: 'string' } as const;

/** `--pack-change -5` is a value, where parseArgs would take it for another option. */
const joined = (args: readonly string[]): string[] =>
  args.flatMap((arg, i) => {
    if (/^-\d/.test(arg)) return [];
    const next = args[i + 1] ?? '';
    return [/^-\d/.test(next) ? `${arg}=${next}` : arg];
  });

const parse = () => {
  try {
    return parseArgs({
      args: joined(process.argv.slice(2)),
      allowPositionals: true,
      options: {
        help: { type: 'boolean', default: false },
        ...wantedOptions,
        organization: option,
        'event-id': option,
        ...(Object.fromEntries([...numbers, ...texts].map((name) => [name, option])) as Record<
          (typeof numbers)[number] | (typeof texts)[number],
          typeof option
        >),
      },
    });
  } catch (error) {
    throw new CliError(`${(error as Error).message}\n\n${usage}`);
  }
};

/** What is no whole number is none to the schema. */
const numberOf = (text: string): number => (/^-?\d+$/.test(text) ? Number(text) : Number.NaN);

/** What the command line calls a field of an event. */
const asTyped = (path: string): string =>
  path === 'type'
    ? 'TYPE'
    : `--${path.replace('organization_id', 'organization').replaceAll('_', '-')}`;

/** The event that the command line asks for, and whom to send it to; undefined where it asks how. */
const eventOf = () => {
  const { values, positionals } = parse();
  if (values.help) return undefined;
  const [type, ...more] = positionals;
  if (type === undefined || more.length > 0) throw new CliError(usage);
  const given = <T>(
    names: readonly (typeof numbers | typeof texts)[number][],
    to: (v: string) => T,
  ) =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = values[name];
        return value === undefined ? [] : [[name.replaceAll('-', '_'), to(value)]];
      }),
    );
  const detail = {
    event_id: values['event-id'] ?? randomUUID(),
    organization_id: values.organization,
    ...given(numbers, numberOf),
    ...given(texts, String),
  };
  const { error } = z.safeParse(walletEvent, { type, ...detail });
  if (!error) return { type, detail, wanted: wantedOf(values) };
  const lines = issueDetails(error).map(({ path, message }) => `${asTyped(path)}: ${message}`);
  throw new CliError(`${lines.join('\n')}\n\n${usage}`);
};

await runToEnd(async () => {
  const asked = eventOf();
  if (!asked) {
    console.log(usage);
    return undefined;
  }
  const { type, detail, wanted } = asked;
  const ready = await runningService(wanted);
  if (!ready.events_endpoint || !ready.event_bus_name) {
    throw new CliError('The service takes no events.');
  }
  const events = new EventBridgeClient({
    endpoint: ready.events_endpoint,
    region,
    credentials,
    maxAttempts: 1,
  });
  const entry = {
    EventBusName: ready.event_bus_name,
    Source: 'billing',
    DetailType: type,
    Detail: JSON.stringify(detail),
  };
  const output = await events.send(new PutEventsCommand({ Entries: [entry] })).catch((error) => {
    throw new CliError(`The service at ${ready.events_endpoint} does not answer: ${error.message}`);
  });
  const [result] = output.Entries ?? [];
  if (!result?.EventId) throw new CliError(`Not sent: ${result?.ErrorMessage}`);
  console.error(`Sent ${type}:`);
  console.log(JSON.stringify(detail, null, 2));
  return undefined;
});
