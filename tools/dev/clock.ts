import { CliError } from '@leads-and-stars/runner';
import { Command } from 'commander';
import { fetchApi } from '../cli/fetch-api.ts';
import { runToEnd } from '../cli/run.ts';
import { clockPath } from '../service/clock-route.ts';
import { type ClockTime, clockTime } from '../service/clock-time.ts';
import { runningService, type Wanted, withWanted } from '../service/running-service.ts';

const move = async (time: ClockTime | undefined, wanted: Wanted): Promise<void> => {
  const { base_url = '', clock } = await runningService(wanted);
  if (!clock) {
    const how = 'start one that has a clock of its own with npm run dev -- --clock +0d';
    throw new CliError(`The service at ${base_url} goes by this machine's clock: ${how}.`);
  }
  const answer = await fetchApi(new URL(clockPath, base_url).href, {
    method: time ? 'POST' : 'GET',
    ...(time && { body: JSON.stringify(time) }),
  });
  const told = JSON.parse(await answer.text());
  if (!answer.ok) throw new CliError(told.error ?? told.message);
  console.log(told.time);
};

await withWanted(new Command('npm run clock --'))
  .description(
    'Moves the clock of the service that npm run dev -- --clock runs, and prints its time: after that, what became due is ' +
      'done, and .local/clock/env.sh has new tokens. Without a time, it only prints.',
  )
  .argument(
    '[time]',
    'so much later, as +30d, +12h, +5m or +10s; or a time, as 2027-01-31T09:00:00Z',
    clockTime,
  )
  .action((time: ClockTime | undefined, wanted: Wanted) => runToEnd(() => move(time, wanted)))
  .parseAsync();
