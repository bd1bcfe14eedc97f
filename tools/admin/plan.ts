import { CliError } from '@leads-and-stars/runner';
import { Command } from 'commander';
import * as z from 'zod/mini';
import { putPlan, readPlans } from '../../lib/billing/plans.ts';
import { plan as planSchema } from '../../lib/billing/stored/plan.ts';
import { mostStars } from '../../lib/billing/terms/stars.ts';
import { issueDetails } from '../../lib/schema/issues.ts';
import { wholeNumber } from '../cli/whole-number.ts';
import { examples } from './arguments.ts';
import { print } from './output.ts';
import { openTarget } from './target.ts';

const put = new Command('put')
  .description('add a plan to the catalogue, or replace the one of its tier')
  .argument('<tier>', 'what subscriptions name it by')
  .requiredOption('--name <name>', 'what people call it')
  .requiredOption('--stars <n>', 'stars granted each month', wholeNumber(0, mostStars))
  .requiredOption(
    '--price-cents <n>',
    'what it costs a month, in cents',
    wholeNumber(0, Number.MAX_SAFE_INTEGER),
  )
  .requiredOption('--currency <code>', 'of the price, ISO 4217')
  .addHelpText(
    'after',
    examples('plan put pro --name Pro --stars 100 --price-cents 4900 --currency USD'),
  )
  .action(async (tier: string, options: PutOptions, command: Command) => {
    const one = z.safeParse(planSchema, {
      tier,
      name: options.name,
      monthly_grant_stars: options.stars,
      price_cents: options.priceCents,
      currency: options.currency,
    });
    if (!one.success) {
      const [first] = issueDetails(one.error);
      throw new CliError(`${first?.path} ${first?.message}`);
    }
    const table = await openTarget(command);
    await putPlan(table, one.data);
    print(one.data);
  });

interface PutOptions {
  name: string;
  stars: number;
  priceCents: number;
  currency: string;
}

const list = new Command('list')
  .description('list the plans, the cheapest first')
  .action(async (_options: object, command: Command) => {
    const table = await openTarget(command);
    print(await readPlans(table));
  });

export const plan = new Command('plan')
  .description('see and change what can be subscribed to')
  .addCommand(put)
  .addCommand(list);
