import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { CliError, credentials, region } from '@leads-and-stars/runner';
import { Command } from 'commander';
import * as z from 'zod/mini';
import { ownWalletEvent } from '../../lib/billing/events/event-update.ts';
import { walletEventTypes } from '../../lib/billing/rules/wallet-events.ts';
import { issueDetails } from '../../lib/schema/issues.ts';
import { stripeEvent } from '../../lib/stripe/event.ts';
import { adviceOnThin, isThin } from '../../lib/stripe/partner.ts';
import { stripeEventTypes } from '../../lib/stripe/read-event.ts';
import { runToEnd } from '../cli/run.ts';
import { runningService, type Wanted, withWanted } from '../service/running-service.ts';
import { eventFields, fieldValue } from './event-fields.ts';

const optionOf = (field: string): string => `--${field.replaceAll('_', '-')}`;

const program = withWanted(new Command('npm run event --'))
  .description('Sends an event of billing to the service that npm run dev runs, and prints it.')
  .argument('[type]', walletEventTypes.join(', '))
  .option('--stripe <file>', 'send an event of Stripe instead: this file has it as JSON')
  .option('--organization <id>', 'whose wallet')
  .option('--event-id <id>', 'its id; a new one unless told');

for (const { name, type, types } of eventFields) {
  const text = `a field of ${types.length > 2 ? 'some types' : types.join(' and ')}`;
  if (type === 'boolean') program.option(optionOf(name), text);
  else program.option(`${optionOf(name)} <value>`, text, (value) => fieldValue(type, value));
}

/** The name of an event's field on the command line. */
const asTyped = (path: string): string =>
  path === 'type' ? 'TYPE' : optionOf(path.replace('organization_id', 'organization'));

/** The event that the command line asks for. */
const eventOf = (type: string, options: Record<string, unknown>) => {
  const fields = eventFields.flatMap(({ name }) => {
    const value = options[name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase())];
    return value === undefined ? [] : [[name, value]];
  });
  const detail = {
    event_id: options.eventId ?? randomUUID(),
    organization_id: options.organization,
    ...Object.fromEntries(fields),
  };
  const { error } = z.safeParse(ownWalletEvent, { type, ...detail });
  if (!error) return detail;
  const lines = issueDetails(error).map(({ path, message }) => `${asTyped(path)}: ${message}`);
  throw new CliError(`${lines.join('\n')}\n\n${program.helpInformation()}`);
};

/** An entry for a bus: that of billing, or Stripe's. */
interface BusEntry {
  isStripes: boolean;
  type: string;
  detail: object;
}

/** An event that Stripe has sent, or would send. */
const stripeEventIn = (file: string): BusEntry => {
  let detail: unknown;
  try {
    detail = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new CliError(`--stripe ${file} has no JSON: ${(error as Error).message}`);
  }
  if (isThin(detail)) throw new CliError(`--stripe ${file} is a thin event: ${adviceOnThin}.`);
  const event = z.safeParse(stripeEvent, detail);
  if (event.error) {
    const lines = issueDetails(event.error).map(({ path, message }) => `${path} ${message}`);
    throw new CliError(`--stripe ${file} is no event of Stripe:\n${lines.join('\n')}`);
  }
  const { type } = event.data;
  if (!stripeEventTypes.includes(type)) {
    throw new CliError(`${type} goes nowhere. These do:\n${stripeEventTypes.join('\n')}`);
  }
  return { isStripes: true, type, detail: detail as object };
};

const entryOf = (
  type: string | undefined,
  { stripe: file, ...options }: Record<string, unknown> & { stripe?: string },
): BusEntry => {
  if (type !== undefined && file === undefined) {
    return { isStripes: false, type, detail: eventOf(type, options) };
  }
  if (type === undefined && file !== undefined) return stripeEventIn(file);
  throw new CliError(`Give one of a type and --stripe.\n\n${program.helpInformation()}`);
};

const send = async (
  given: string | undefined,
  options: Record<string, unknown> & Wanted & { stripe?: string },
): Promise<void> => {
  const { isStripes, type, detail } = entryOf(given, options);
  const ready = await runningService(options);
  const bus = isStripes ? ready.stripe_event_bus_name : ready.event_bus_name;
  if (!ready.events_endpoint || !bus) throw new CliError('The service takes no events.');
  const events = new EventBridgeClient({
    endpoint: ready.events_endpoint,
    region,
    credentials,
    maxAttempts: 1,
  });
  const entry = {
    EventBusName: bus,
    // A partner's bus has the name of its source.
    Source: isStripes ? bus : 'billing',
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
};

await program
  .showHelpAfterError()
  .action((type: string | undefined, options) => runToEnd(() => send(type, options)))
  .parseAsync();
