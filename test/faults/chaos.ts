// `npm run chaos -- --seed N --minutes M`: clients, faults and kills by chance, and then an audit.
import { Command } from 'commander';
import { prepare } from '../../tools/dev/service.ts';
import { type FaultyService, startFaultyService } from '../support/faults/faulty-service.ts';
import type { Fault } from '../support/faults/watched-requests.ts';
import { number } from '../support/number.ts';
import { chance, type Random, random, seed } from '../support/random.ts';
import { Receiver } from '../support/receiver.ts';
import { audit } from './audit.ts';
import { ChaosClient } from './chaos-client.ts';
import { Settings } from './setting.ts';

const clients = 4;

const faults: Fault[] = [
  'request lost',
  'reply lost',
  'reply lost',
  'throttled',
  'conflict',
  'server error',
  'unprocessed',
];

/** A process is killed now and then only: it takes longest to come back. */
const faultOf = (next: Random): Fault | undefined => {
  if (chance(next, 0.004)) return chance(next, 0.5) ? 'killed before' : 'killed after';
  return chance(next, 0.25) ? faults[Math.floor(next() * faults.length)] : undefined;
};

export interface Result {
  /** Requests of the functions to DynamoDB, and faults among them. */
  requests: number;
  faults: number;
  /** Final answers to clients, and how often they had to ask for them. */
  answers: number;
  repeats: number;
  /** Posts to a webhook, of each change at least one. */
  posts: number;
}

/** Throws at the first thing that is not as the clients were told. The seed repeats what is chosen, not the timing. */
export const chaos = async (
  faulty: FaultyService,
  seed: number,
  seconds: number,
): Promise<Result> => {
  const setting = await new Settings(faulty).make();
  const { client, watched } = setting;
  const receiver = await Receiver.open();
  try {
    const body = { url: receiver.url, after: 0 };
    const webhook = await client.send({ id: 'createWebhook', path: '/webhooks', body });
    const next = random(seed);
    const result: Result = { requests: 0, faults: 0, answers: 0, repeats: 0, posts: 0 };
    const strike = () => {
      const fault = faultOf(next);
      result.requests++;
      if (fault) result.faults++;
      return fault;
    };
    watched.plan({ name: `seed ${seed}`, strike });
    const until = Date.now() + seconds * 1000;
    const acting = Array.from(
      { length: clients },
      (_, i) => new ChaosClient(setting, seed + i + 1),
    );
    // A slow machine has more time, so that faults do reach some client.
    const isOver = () => Date.now() >= until && acting.some(({ repeats }) => repeats > 0);
    try {
      await Promise.all(acting.map((one) => one.act(isOver)));
    } finally {
      watched.plan(undefined);
      await watched.settled();
    }
    await audit(faulty, setting, acting, { receiver, ...webhook.body });
    result.posts = receiver.received.length;
    for (const { answers, repeats } of acting) {
      result.answers += answers;
      result.repeats += repeats;
    }
    return result;
  } finally {
    receiver.close();
  }
};

const main = async (): Promise<void> => {
  const { seed: firstSeed, minutes } = new Command('npm run chaos --')
    .description('clients, faults and kills by chance, and then an audit')
    .option('--seed <n>', 'of the first organization', number, seed)
    .option('--minutes <n>', 'how long', number, 1)
    .parse()
    .opts<{ seed: number; minutes: number }>();
  const prepared = await prepare();
  const faulty = await startFaultyService(prepared, { isNumbered: true });
  try {
    // An organization after another, so that each is audited within a minute.
    const end = Date.now() + minutes * 60_000;
    for (let seed = firstSeed; Date.now() < end; seed++) {
      const seconds = Math.min(30, Math.ceil((end - Date.now()) / 1000));
      console.info(`seed ${seed}, ${seconds} s`);
      console.info(JSON.stringify(await chaos(faulty, seed, seconds)));
    }
    console.info('no finding');
  } finally {
    await faulty.close();
    await prepared.close();
  }
};

if (import.meta.main) await main();
